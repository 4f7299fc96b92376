import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** All metrics in one place; one registry per app, so that several apps fit in one process. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'bellhop_' })
  // These are gauges with names that Prometheus reserves for counters; the same numbers exist by type.
  for (const what of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`bellhop_nodejs_active_${what}_total`)
  const metrics = {
    registry,
    requests: new Histogram({
      name: 'bellhop_http_request_seconds',
      help: 'Time to answer a request, by route and status class',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.025, 0.1, 0.5, 2, 10],
      registers,
    }),
    eventsAccepted: new Counter({
      name: 'bellhop_events_accepted_total',
      help: 'Events committed to the inbox',
      registers,
    }),
    deliveriesRefused: new Counter({
      name: 'bellhop_deliveries_refused_total',
      help: 'Deliveries answered with an error, by problem',
      labelNames: ['problem'],
      registers,
    }),
    runsEnded: new Counter({
      name: 'bellhop_runs_ended_total',
      help: 'Runs that ended, by status',
      labelNames: ['status'],
      registers,
    }),
    eventToReply: new Histogram({
      name: 'bellhop_event_to_reply_seconds',
      help: 'From the receipt of an event to its reply in the channel',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 300],
      registers,
    }),
    toolCalls: new Histogram({
      name: 'bellhop_tool_call_seconds',
      help: 'Time of a tool call, by outcome',
      labelNames: ['outcome'],
      buckets: [0.01, 0.05, 0.25, 1, 5, 30],
      registers,
    }),
    modelCalls: new Histogram({
      name: 'bellhop_model_call_seconds',
      help: 'Time of a model call, by provider and outcome',
      labelNames: ['provider', 'outcome'],
      buckets: [0.1, 0.5, 1, 2.5, 5, 15, 60],
      registers,
    }),
    jobsFailed: new Counter({
      name: 'bellhop_jobs_failed_total',
      help: 'Tries of jobs that failed, by job',
      labelNames: ['job'],
      registers,
    }),
    waiting: new Gauge({
      name: 'bellhop_events_waiting',
      help: 'Events in the inbox that wait for a run',
      registers,
    }),
  }
  // Starts at 0, since Prometheus does not see the first increase of a series that did not exist before.
  for (const status of ['succeeded', 'failed', 'cancelled']) metrics.runsEnded.inc({ status }, 0)
  for (const problem of ['unavailable', 'backlog-full', 'internal-error'])
    metrics.deliveriesRefused.inc({ problem }, 0)
  return metrics
}

export type Metrics = ReturnType<typeof createMetrics>
