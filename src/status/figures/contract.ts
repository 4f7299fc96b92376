import { z } from 'zod'

export const groupings = ['webhook', 'schedule', 'tool', 'model', 'channel', 'revision'] as const
export type Grouping = (typeof groupings)[number]

const count = z.int()

const figureShape = z.object({
  /** Of the webhook, schedule, tool or channel; the name of the model, or `offline`; `hook_…#3` of a revision. */
  id: z.string(),
  /** Null once it is deleted. */
  name: z.string().nullable(),
  /** Runs that ended or, of a tool, requests that were sent. */
  calls: count,
  failed: count,
  /** What 95 % of replies (of a tool: answers) took at most, accurate to one percent; null if there were none. */
  p95Seconds: z.number().nullable(),
  /** Null for a tool: what a run costs is not divided among its tools. */
  cost: z.number().nullable(),
  /** What people were asked, without what policies decided. */
  approvals: z.object({ asked: count, denied: count }),
  /** For replies; of a tool, for the replies of runs that called it. */
  thumbs: z.object({ up: count, down: count }),
})
export type Figure = z.output<typeof figureShape>

export type Figures = z.output<typeof figuresShape>
export const figuresShape = z.object({
  /** Whole days of UTC, up to now. */
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  /** Most calls first, at most 1,000. */
  items: z.array(figureShape),
})
