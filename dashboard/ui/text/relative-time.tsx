import { useEffect, useState } from 'react'
import { Hint } from '../layout/hint.tsx'
import { perLocale } from './locale.ts'

const steps: [limitSeconds: number, unitSeconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [60, 1, 'second'],
  [3600, 60, 'minute'],
  [86_400, 3600, 'hour'],
  [86_400 * 14, 86_400, 'day'],
  [86_400 * 60, 86_400 * 7, 'week'],
  [86_400 * 730, 86_400 * 30, 'month'],
]
// Not "yesterday": what is a day and a half old may be from the day before.
const words = perLocale((tag) => new Intl.RelativeTimeFormat(tag))
/** For narrow windows: `5m ago`. */
const shortWords = perLocale((tag) => new Intl.RelativeTimeFormat(tag, { style: 'narrow' }))
const littleRoom = matchMedia('(max-width: 30em)')

function relative(time: Date, now: number): string {
  const format = littleRoom.matches ? shortWords() : words()
  const seconds = (time.getTime() - now) / 1000
  if (Math.abs(seconds) < 5) return 'just now'
  for (const [limit, unit, name] of steps) {
    if (Math.abs(seconds) < limit) return format.format(Math.round(seconds / unit), name)
  }
  return format.format(Math.round(seconds / (86_400 * 365)), 'year')
}

const exact = perLocale((tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'full', timeStyle: 'long' }))

/** For a place that has no room for the exact time. */
export function relativeTime(at: string): string {
  return relative(new Date(at), Date.now())
}

/** "3 minutes ago", with the exact time in the viewer's zone on hover and for screen readers. */
export function RelativeTime({ at, none = 'never' }: { at: string | null | undefined; none?: string }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const again = () => setNow(Date.now())
    const timer = setInterval(again, 20_000)
    // Rotating a phone changes the width at once.
    littleRoom.addEventListener('change', again)
    return () => {
      clearInterval(timer)
      littleRoom.removeEventListener('change', again)
    }
  }, [])
  if (!at) return <span>{none}</span>
  const time = new Date(at)
  return (
    <Hint label={exact().format(time)}>
      {/* Isolated: the number would move to the other side of a name that is written from right to left. */}
      <time dateTime={at} style={{ whiteSpace: 'nowrap', unicodeBidi: 'isolate' }}>
        {relative(time, Math.max(now, Date.now()))}
      </time>
    </Hint>
  )
}
