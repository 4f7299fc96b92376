import { withQuery } from '../../api.ts'
import type { Schedule, TimingPreview } from '../../contract.ts'
import { useList, useOne } from '../../hooks/use-api.ts'

export const useSchedules = (q?: string, enabled = true) =>
  useList<Schedule>('/schedules', { limit: '100', q }, { live: true, enabled })

export const useSchedule = (id: string | null) => useOne<Schedule>(id === null ? null : `/schedules/${id}`)

type Timing = { cron: string | null; at: string | null; timeZone: string }

/** The times in words; null asks for nothing. */
export const useTimingPreview = (timing: Timing | null) =>
  useOne<TimingPreview>(
    timing &&
      withQuery('/schedules/preview', {
        cron: timing.cron ?? undefined,
        at: timing.at ?? undefined,
        timeZone: timing.timeZone,
      }),
  )
