import { Histogram, type Registry } from 'prom-client'

export type HttpMetrics = ReturnType<typeof registerHttpMetrics>

export function registerHttpMetrics(registry: Registry) {
  return {
    requests: new Histogram({
      name: 'bellhop_http_request_seconds',
      help: 'Time to answer a request, by route and status class',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.025, 0.1, 0.5, 2, 10],
      registers: [registry],
    }),
  }
}
