import { Counter, type Registry } from 'prom-client'

export type DeliveryMetrics = ReturnType<typeof registerDeliveryMetrics>

export function registerDeliveryMetrics(registry: Registry) {
  const metrics = {
    deliveriesRefused: new Counter({
      name: 'bellhop_deliveries_refused_total',
      help: 'Deliveries answered with an error, by problem',
      labelNames: ['problem'],
      registers: [registry],
    }),
  }
  // Starts at 0, since Prometheus does not see the first increase of a series that did not exist before.
  for (const problem of ['unavailable', 'backlog-full', 'disk-full', 'internal-error'])
    metrics.deliveriesRefused.inc({ problem }, 0)
  return metrics
}
