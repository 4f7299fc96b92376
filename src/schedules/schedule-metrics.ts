import { Counter, type Registry } from 'prom-client'

export type ScheduleMetrics = ReturnType<typeof registerScheduleMetrics>

export function registerScheduleMetrics(registry: Registry) {
  return {
    dueTimes: new Counter({
      name: 'bellhop_schedule_due_times_total',
      help: 'Due times of schedules that became events, including missed and skipped ones',
      registers: [registry],
    }),
  }
}
