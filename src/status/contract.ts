import { z } from 'zod'

// ── numbers ──

const count = z.number().int()

const figures = {
  /** Accepted by webhooks. */
  events: count,
  /** By how they are now; dry runs are left out. */
  runs: z.object({ succeeded: count, failed: count, cancelled: count, active: count }),
  /** From the event or message to the reply, true to one percent; null where nothing was replied to. */
  seconds: z.object({ median: z.number().nullable(), p95: z.number().nullable() }),
  /** Of dry runs too: they cost as much. */
  tokens: z.object({ input: count, output: count }),
  cost: z.number(),
}

export const statsShape = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  /** One for each hour (UTC), oldest first. A run counts in the hour in which it was asked for. */
  hours: z.array(z.object({ at: z.iso.datetime(), ...figures })),
  totals: z.object(figures),
  /** Most events first, 100 at most. What no webhook started, chat above all, is under null. */
  byWebhook: z.array(
    z.object({ webhookId: z.string().nullable(), ...figures, eventsPerHour: z.array(count) }),
  ),
})
export type Stats = z.output<typeof statsShape>
export type Figures = Stats['totals']

// ── live ──

/** What arrives on GET /stream, by the event's name. */
export const liveEventShapes = {
  /** By kind (`runs`, `events`, …, as in the paths of the API) the ids that changed; null where they are many or not said. */
  changed: z.record(z.string(), z.array(z.string()).nullable()),
  /** The server lost its line to the database for a moment: anything may have changed. */
  missed: z.object({}),
  'channel.changed': z.object({ channelId: z.string() }),
  'channels.changed': z.object({}),
}
export type LiveEvents = { [Name in keyof typeof liveEventShapes]: z.output<(typeof liveEventShapes)[Name]> }

// ── the house itself ──

export const aboutShape = z.object({
  version: z.string(),
  node: z.string(),
  database: z.object({
    kind: z.enum(['embedded', 'external']),
    version: z.string(),
    sizeBytes: z.number(),
    migrations: count,
  }),
  /** Processes on this database that were heard of in the last 30 seconds. */
  replicas: z.array(
    z.object({
      id: z.string(),
      role: z.enum(['all', 'web', 'worker']),
      version: z.string(),
      startedAt: z.iso.datetime(),
      seenAt: z.iso.datetime(),
      /** The one that answered. */
      self: z.boolean(),
    }),
  ),
  encryption: z.object({
    /** A fingerprint of the key that seals now. */
    keyId: z.string(),
    /** Values that a former key sealed; while there are any, that key is still needed. */
    sealedByOtherKeys: count,
  }),
  /** Null where the database is elsewhere and nothing is kept here. */
  dataFolder: z.object({ freeBytes: z.number() }).nullable(),
})
export type About = z.output<typeof aboutShape>
