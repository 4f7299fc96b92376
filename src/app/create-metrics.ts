import { Counter } from 'prom-client'
import { registerEventMetrics } from '../events/inbox/event-metrics.ts'
import { registerHttpMetrics } from '../http/http-metrics.ts'
import { createMetricRegistry } from '../platform/metric-registry.ts'
import { registerRunMetrics } from '../runs/run-metrics.ts'
import { registerScheduleMetrics } from '../schedules/schedule-metrics.ts'
import { registerToolMetrics } from '../tools/tool-metrics.ts'
import { registerDeliveryMetrics } from '../webhooks/ingress/delivery-metrics.ts'

export type Metrics = ReturnType<typeof createMetrics>

/** One registry per app, so that several apps fit in one process. */
export function createMetrics() {
  const registry = createMetricRegistry()
  return {
    registry,
    ...registerHttpMetrics(registry),
    ...registerEventMetrics(registry),
    ...registerDeliveryMetrics(registry),
    ...registerRunMetrics(registry),
    ...registerToolMetrics(registry),
    ...registerScheduleMetrics(registry),
    jobsFailed: new Counter({
      name: 'bellhop_jobs_failed_total',
      help: 'Tries of jobs that failed, by job',
      labelNames: ['job'],
      registers: [registry],
    }),
  }
}
