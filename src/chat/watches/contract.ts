import { z } from 'zod'
import { capabilities } from '../../connectors/contract.ts'
import { ruleVariables } from '../../events/rules/contract.ts'
import { storableText, wholeNumber } from '../../shared/fields.ts'

/** What a condition can use: as in the rules of a webhook, `event` is what was written. */
export const watchVariables = ruleVariables

const watchAuthors = ['apps', 'people', 'all'] as const

/** Platforms that send us every message, not only mentions. */
export const watchedPlatforms: readonly string[] = ['built-in', 'slack', 'mattermost', 'discord']

/** Messages in the channel, outside threads, start the agent. Never its own. */
export const watchFields = z.strictObject({
  from: z.enum(watchAuthors),
  /** In CEL, over `event` with `text` and `author`; null: every message. */
  when: storableText(2000)
    .trim()
    .nullable()
    .default(null)
    .transform((text) => text || null),
  prompt: storableText(20_000).refine((text) => text.trim() !== '', 'Tell the agent what to do.'),
  ceiling: z.enum(capabilities).default('read'),
  /** After so many runs within an hour it is paused, and the channel is told. Messages are kept. */
  perHour: wholeNumber(1, 10_000, 'runs').default(30),
  /** Left out: as it was. */
  paused: z.boolean().optional(),
})
export type WatchFields = z.output<typeof watchFields>

export const watchShape = z.object({
  from: z.enum(watchAuthors),
  when: z.string().nullable(),
  prompt: z.string(),
  ceiling: z.enum(capabilities),
  perHour: z.int(),
  paused: z.boolean(),
  pauseReason: z.string().nullable(),
})
export type Watch = z.output<typeof watchShape>
