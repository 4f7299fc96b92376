import { collectDefaultMetrics, Registry } from 'prom-client'

/** A registry with the figures of the process. */
export function createMetricRegistry(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'bellhop_' })
  // These are gauges with names that Prometheus reserves for counters; the same numbers exist by type.
  for (const what of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`bellhop_nodejs_active_${what}_total`)
  return registry
}
