import { z } from 'zod'
import { storableText } from '../../shared/fields.ts'

/** Why a reply was of no use. */
export const thumbReasons = ['incorrect', 'incomplete', 'wrong_action', 'unclear', 'other'] as const
export type ThumbReason = (typeof thumbReasons)[number]

export const reasonLabels: Readonly<Record<ThumbReason, string>> = {
  incorrect: 'Incorrect',
  incomplete: 'Incomplete',
  wrong_action: 'Wrong action',
  unclear: 'Hard to read',
  other: 'Something else',
}

export const thumbKind = z.enum(['up', 'down'])

export const ratingShape = z.discriminatedUnion(
  'thumb',
  [
    z.strictObject({ thumb: z.literal('up') }),
    z.strictObject({
      thumb: z.literal('down'),
      reason: z.enum(thumbReasons).nullable().default(null),
      /** In the person's own words. */
      note: storableText(1000).nullable().default(null),
    }),
  ],
  'Say what you think of the reply: {"thumb": "up"} or {"thumb": "down"}.',
)

const thumbShape = z.object({
  person: z.object({ id: z.string(), name: z.string() }),
  thumb: thumbKind,
  /** Why it is down, as far as the person has said. */
  reason: z.enum(thumbReasons).nullable(),
  note: z.string().nullable(),
  at: z.iso.datetime(),
})
export type Thumb = z.output<typeof thumbShape>

/** Oldest first, one for each person; null where there is no reply that could be rated. */
export const thumbsShape = z.array(thumbShape).nullable()
