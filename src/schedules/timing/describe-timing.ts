import cronstrue from 'cronstrue'
import type { Timing } from './due-times.ts'

/** "At 09:00, Monday through Friday (Europe/Berlin)", or "Once, on 2026-12-01 at 09:00 (Europe/Berlin)". */
export function describeTiming({ cron, at, timeZone }: Timing): string {
  const words =
    cron === null
      ? `Once, on ${at?.replace('T', ' at ')}`
      : cronstrue.toString(cron, { use24HourTimeFormat: true })
  return `${words} (${timeZone})`
}
