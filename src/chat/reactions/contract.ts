import { z } from 'zod'

/** So many different ones on one message; further people can join those. */
export const mostEmoji = 20

export const reactionShape = z.object({
  /** The short name: `tada`. */
  name: z.string(),
  /** The character: 🎉. */
  emoji: z.string(),
  /** Oldest first. */
  people: z.array(z.object({ id: z.string(), name: z.string() })),
})
export type Reaction = z.output<typeof reactionShape>
