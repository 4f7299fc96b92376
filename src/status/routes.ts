import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { idParam } from '../http/id-param.ts'
import { mayActAs } from '../shared/actor.ts'
import { aboutShape, liveEventShapes, longestHours, statsShape } from './contract.ts'
import type { Statistics } from './open-statistics.ts'
import { type AboutContext, readAbout } from './read-about.ts'
import { type StreamContext, streamChanges } from './stream-changes.ts'

const define = endpoint<AboutContext & StreamContext & { statistics: Statistics }>()

export const stats = define({
  summary:
    'Statistics by hour or day, by webhook or schedule and by model: events, runs, time to reply, tokens and cost',
  query: z.object({
    hours: z.coerce
      .number(`must be a number from 1 to ${longestHours}`)
      .int()
      .min(1, 'must be 1 or more')
      .max(longestHours, `must be ${longestHours} (90 days) or less`)
      .default(24),
    webhookId: idParam('webhook').optional(),
    scheduleId: idParam('schedule').optional(),
  }),
  returns: statsShape,
  async answer(ctx, { query: { hours, webhookId, scheduleId }, actor }) {
    const stats = await ctx.statistics.byHour({ hours, sourceId: webhookId ?? scheduleId })
    if (mayActAs(actor, 'operator')) return stats
    return {
      ...stats,
      byWebhook: stats.byWebhook.map((row) => ({
        ...row,
        webhookName: null,
        scheduleName: null,
        watchedChannelName: null,
      })),
    }
  },
})

export const stream = define({
  summary: 'Stream changes (server-sent events): the kinds and ids of records to fetch again',
  streams: liveEventShapes,
  problems: ['too-many-requests'],
  answer: async (ctx, { raw, source, actor }) => streamChanges(ctx, { raw, source, actor }),
})

export const about = define({
  summary: 'Get facts about the installation: version, database, replicas, encryption key, free space',
  returns: aboutShape,
  answer: (ctx) => readAbout(ctx),
})
