import { Counter, Gauge, type Registry } from 'prom-client'

export type EventMetrics = ReturnType<typeof registerEventMetrics>

export function registerEventMetrics(registry: Registry) {
  return {
    eventsAccepted: new Counter({
      name: 'bellhop_events_accepted_total',
      help: 'Events committed to the inbox',
      registers: [registry],
    }),
    eventsByRule: new Counter({
      name: 'bellhop_events_without_run_total',
      help: 'Events that started no run of their own because of the rules of their webhook',
      labelNames: ['outcome'],
      registers: [registry],
    }),
    waiting: new Gauge({
      name: 'bellhop_events_waiting',
      help: 'Events in the inbox that wait for a run',
      registers: [registry],
    }),
  }
}
