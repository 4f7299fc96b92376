import { locale } from '../../ui/text/locale.ts'

/** "Thu, Nov 19, 2026, 09:00" there, wherever the reader is. */
export function formatIn(at: string, timeZone: string): string {
  return new Date(at).toLocaleString(locale(), {
    ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone },
  })
}
