import { z } from 'zod'

/** Discord's opcodes. */
export const op = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
} as const

export const frameShape = z.looseObject({
  op: z.number(),
  d: z.unknown().optional(),
  /** The sequence number of a dispatch. */
  s: z.number().nullish(),
  t: z.string().nullish(),
})
export type Frame = z.output<typeof frameShape>
