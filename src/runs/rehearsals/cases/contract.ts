import { z } from 'zod'
import { storableText } from '../../../shared/fields.ts'
import { idPattern } from '../../../shared/ids.ts'
import { sourceFields } from '../../../shared/source-fields.ts'

/** As the model sees it, for example `shop__refund`. */
const tool = storableText(200).min(1, 'Name a tool as runs show it, for example shop__refund.')

const checkShape = z.discriminatedUnion(
  'must',
  [
    z.strictObject({ must: z.literal('call'), tool }),
    z.strictObject({ must: z.literal('notCall'), tool }),
    /** The reply contains the text, in any case. */
    z.strictObject({
      must: z.literal('mention'),
      text: storableText(500).refine((text) => text.trim() !== '', 'Enter what the reply must mention.'),
    }),
    /** The tool is called, and each call has this value at this place of its input. */
    z.strictObject({
      must: z.literal('equal'),
      tool,
      pointer: storableText(500).regex(
        /^(\/.*)?$/s,
        'Use a JSON pointer into the input of the tool, for example /amount.',
      ),
      value: z.json(),
    }),
    z.strictObject({ must: z.literal('notReply') }),
  ],
  'Use one of {"must":"call"}, notCall, mention, equal and notReply.',
)
export type Check = z.output<typeof checkShape>

const checks = z
  .array(checkShape)
  .min(1, 'Add a check: what must the agent do with this event?')
  .max(20, 'A case has 20 checks at most.')
const name = storableText(200).refine((text) => text.trim() !== '', 'Give the case a name.')
const eventId = z
  .templateLiteral(['evt_', z.string()], 'Name an event.')
  .refine((id) => idPattern('event').test(id), 'There is no such event.')

export const newCase = z.strictObject({ eventId, name, checks })
export type NewCase = z.output<typeof newCase>
export const casePatch = z.strictObject({ name: name.optional(), checks: checks.optional() })
export type CasePatch = z.output<typeof casePatch>

export const caseShape = z.object({
  id: z.string(),
  eventId: z.templateLiteral(['evt_', z.string()]),
  name: z.string(),
  ...sourceFields,
  /** Empty once its event was erased. */
  checks: z.array(checkShape),
  /** Its event was erased: nothing can be checked any more. */
  eventErased: z.boolean(),
  /** What the latest rehearsal that got to it found. */
  lastResult: z
    .object({ rehearsalId: z.string(), passed: z.boolean(), at: z.iso.datetime().nullable() })
    .nullable(),
  createdBy: z.string(),
  createdAt: z.iso.datetime(),
})
export type CaseShape = z.output<typeof caseShape>

/** A check as a rehearsal found it; null until the event was compared. */
export const judgedCheckShape = z.intersection(checkShape, z.object({ passed: z.boolean().nullable() }))
export type JudgedCheck = Check & { passed: boolean | null }

/** A check in words: "Calls shop__refund". */
export function describeCheck(check: Check): string {
  switch (check.must) {
    case 'call':
      return `Calls ${check.tool}`
    case 'notCall':
      return `Does not call ${check.tool}`
    case 'mention':
      return `Mentions “${check.text}”`
    case 'equal':
      return `Calls ${check.tool} with ${check.pointer || 'an input'} = ${JSON.stringify(check.value)}`
    case 'notReply':
      return 'Does not reply'
    default:
      throw new Error(`Unhandled check ${check satisfies never}`)
  }
}
