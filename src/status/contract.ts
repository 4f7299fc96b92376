import { z } from 'zod'
import { sourceFields } from '../shared/source-fields.ts'

// ── numbers ──

const count = z.number().int()

const figures = {
  /** Accepted by webhooks, or due by schedules. */
  events: count,
  /** By their current status, without dry runs. */
  runs: z.object({ succeeded: count, failed: count, cancelled: count, active: count }),
  /** Events that started no run of their own: a rule skipped, notified or collected them, or their schedule skipped or missed the time. */
  withoutRun: z.object({ skipped: count, notified: count, joined: count, missed: count }),
  /** From the event or message to the reply, accurate to one percent; null if there were no replies. */
  seconds: z.object({ median: z.number().nullable(), p95: z.number().nullable() }),
  /** Including dry runs, which cost as much. */
  tokens: z.object({ input: count, output: count }),
  cost: z.number(),
}

const hourShape = z.object({ at: z.iso.datetime(), ...figures })

/** The longest span of statistics: 90 days. */
export const longestHours = 2160

/** One number per entry of `hours`. */
const perHourShape = z.object({
  events: z.array(count),
  succeeded: z.array(count),
  failed: z.array(count),
  cancelled: z.array(count),
  active: z.array(count),
  tokens: z.array(count),
  cost: z.array(z.number()),
})

export const statsShape = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  /** How many hours each entry of `hours` covers: 1, or 24 if more than a week was requested. Days are those of UTC. */
  slotHours: count,
  /** Oldest first. A run counts in the hour in which it was requested. */
  hours: z.array(hourShape),
  totals: z.object(figures),
  /** The span before, hour for hour or day for day, and each entry beside the one of `hours` at its place; null if its runs are not all kept. */
  previous: z.object({ hours: z.array(hourShape), ...figures }).nullable(),
  /** Most events first, at most 100. Schedules are among them. Runs without either, mostly from chat, are the row without an id. */
  byWebhook: z.array(
    z.object({
      /** Members do not see the names. */
      ...sourceFields,
      ...figures,
      perHour: perHourShape,
      /** Deliveries that were refused, one number per entry of `hours`. */
      refusedPerHour: z.array(count),
    }),
  ),
  /** Most tokens first. A run counts for the model that it was started with. */
  byModel: z.array(z.object({ model: z.string(), ...figures, perHour: perHourShape })),
})
export type Stats = z.output<typeof statsShape>
export type Figures = Stats['totals']
export type PerHour = z.output<typeof perHourShape>

// ── live ──

/** The events of GET /stream, by name. */
export const liveEventShapes = {
  /** The ids that changed, by kind (`runs`, `events`, …, as in the paths of the API); null if there are many or they are unknown. */
  changed: z.record(z.string(), z.array(z.string()).nullable()),
  /** The server lost its connection to the database for a moment: anything may have changed. */
  missed: z.object({}),
  'channel.changed': z.object({ channelId: z.string() }),
  'channels.changed': z.object({}),
}
export type LiveEvents = { [Name in keyof typeof liveEventShapes]: z.output<(typeof liveEventShapes)[Name]> }

// ── this installation ──

export const aboutShape = z.object({
  version: z.string(),
  node: z.string(),
  database: z.object({
    kind: z.enum(['embedded', 'external']),
    version: z.string(),
    sizeBytes: z.number(),
    migrations: count,
  }),
  /** Processes on this database that reported in the last 30 seconds. */
  replicas: z.array(
    z.object({
      id: z.string(),
      role: z.enum(['all', 'web', 'worker']),
      version: z.string(),
      startedAt: z.iso.datetime(),
      seenAt: z.iso.datetime(),
      /** The process that answered. */
      self: z.boolean(),
    }),
  ),
  encryption: z.object({
    /** A fingerprint of the key that seals new values. */
    keyId: z.string(),
    /** Values sealed by a former key; while there are any, that key is still needed. */
    sealedByOtherKeys: count,
  }),
  /** Null if the database is elsewhere and nothing is stored here. */
  dataFolder: z.object({ freeBytes: z.number() }).nullable(),
})
export type About = z.output<typeof aboutShape>
