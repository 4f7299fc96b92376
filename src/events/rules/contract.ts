import { z } from 'zod'
import { storableText, wholeNumber } from '../../shared/fields.ts'
import { idPattern } from '../../shared/ids.ts'
import { parseKey, parseTemplate } from '../../shared/template.ts'

const outcomes = ['skip', 'notify', 'run'] as const

/** What conditions of rules can use: the body, the headers that the agent sees, and when the event arrived. */
export const ruleVariables = ['event', 'headers', 'now']

const braces = 'Write each JSON pointer in braces, for example {/alerts/0/annotations/summary}.'

const ruleShape = z
  .strictObject({
    /** In CEL. */
    when: storableText(2000).trim().min(1, 'Write a condition, for example event.action == "closed".'),
    then: z.enum(outcomes),
    /** For `notify`: what is posted, with JSON pointers in braces. */
    text: storableText(2000)
      .refine((text) => parseTemplate(text) !== null, braces)
      .optional(),
    /** For `run`: another channel and another prompt than the webhook's. */
    channelId: z
      .templateLiteral(['chan_', z.string()], 'Choose a channel.')
      .refine((id) => idPattern('channel').test(id), 'There is no such channel.')
      .optional(),
    prompt: storableText(20_000).min(1, 'Tell the agent what to do, or leave the prompt out.').optional(),
    /** Marks the first message of the thread as resolved. */
    closes: z.boolean().optional(),
  })
  .superRefine(({ then, text, channelId, prompt }, issues) => {
    const refuse = (field: string, message: string) =>
      issues.addIssue({ code: 'custom', path: [field], message })
    if (then === 'notify' && !text?.trim()) refuse('text', 'Write what is posted.')
    if (then !== 'notify' && text !== undefined) refuse('text', 'Only a rule that notifies has a text.')
    if (then !== 'run' && channelId !== undefined) refuse('channelId', 'Only a rule that runs has a channel.')
    if (then !== 'run' && prompt !== undefined) refuse('prompt', 'Only a rule that runs has a prompt.')
  })
export type Rule = z.output<typeof ruleShape>

const collectShape = z
  .strictObject({
    quietSeconds: wholeNumber(1, 3600, 'seconds'),
    maxSeconds: wholeNumber(1, 86_400, 'seconds'),
  })
  .refine(({ quietSeconds, maxSeconds }) => quietSeconds <= maxSeconds, {
    path: ['maxSeconds'],
    error: 'Wait at least as long as the quiet time.',
  })
export type Collect = z.output<typeof collectShape>

export const longestThreadDays = 90

/** Of a webhook: what becomes of its events. */
export const ruleFields = {
  /** The first that matches decides; if none does, the event starts a run. */
  rules: z.array(ruleShape).max(50, 'Use 50 rules at most.'),
  /** Events with the same key share a thread. */
  threadKey: storableText(500)
    .trim()
    .refine(
      (key) => parseKey(key) !== null,
      'Write a JSON pointer such as /groupKey, or several in braces: {/repository/full_name}#{/number}.',
    )
    .nullable(),
  threadDays: wholeNumber(1, longestThreadDays, 'days'),
  /** Events with the same key that arrive shortly after each other become one run. */
  collect: collectShape.nullable(),
}
export const defaultThreadDays = 7

/** The rule that decided about an event. */
export const matchedRuleShape = z.object({
  /** Its place in the webhook's rules at that time, from 0. */
  index: z.int(),
  when: z.string(),
  then: z.enum(outcomes),
  closes: z.boolean(),
})
/** A condition that could not be evaluated counts as not true. */
export const ruleFaultShape = z.object({ index: z.int(), detail: z.string() })

/** What the latest events would have become. */
export const rulesPreviewShape = z.object({
  counts: z.object({
    run: z.int(),
    skipped: z.int(),
    notified: z.int(),
    joined: z.int(),
    /** How many different threads they would be in. */
    threads: z.int(),
  }),
  /** The newest first. */
  items: z.array(
    z.object({
      eventId: z.string(),
      receivedAt: z.iso.datetime(),
      summary: z.string().nullable(),
      outcome: z.enum(['run', 'skipped', 'notified', 'joined']),
      rule: matchedRuleShape.nullable(),
      ruleFaults: z.array(ruleFaultShape),
      threadKey: z.string().nullable(),
      threadKeyFault: z.string().nullable(),
      joinedTo: z.string().nullable(),
    }),
  ),
})
export type RulesPreview = z.output<typeof rulesPreviewShape>
