import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export type RunMetrics = ReturnType<typeof registerRunMetrics>

export function registerRunMetrics(registry: Registry) {
  const metrics = {
    runsEnded: new Counter({
      name: 'bellhop_runs_ended_total',
      help: 'Runs that ended, by status',
      labelNames: ['status'],
      registers: [registry],
    }),
    eventToReply: new Histogram({
      name: 'bellhop_event_to_reply_seconds',
      help: 'From the receipt of an event to its reply in the channel',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 300],
      registers: [registry],
    }),
    modelsHeld: new Gauge({
      name: 'bellhop_models_unavailable',
      help: 'Models that do not answer, so that events wait for them',
      registers: [registry],
    }),
    modelCalls: new Histogram({
      name: 'bellhop_model_call_seconds',
      help: 'Time of a model call, by provider and outcome',
      labelNames: ['provider', 'outcome'],
      buckets: [0.1, 0.5, 1, 2.5, 5, 15, 60],
      registers: [registry],
    }),
  }
  // Starts at 0, since Prometheus does not see the first increase of a series that did not exist before.
  for (const status of ['succeeded', 'failed', 'cancelled']) metrics.runsEnded.inc({ status }, 0)
  return metrics
}
