/** A local time as milliseconds since 1970, as if the place were on UTC: days and clocks can be computed with it. */
export type LocalMs = number

const formats = new Map<string, Intl.DateTimeFormat>()
const dayMs = 86_400_000
const minuteMs = 60_000

export function localTimeAt(timeZone: string, instantMs: number): LocalMs {
  const parts = formatOf(timeZone).format(instantMs).match(/\d+/g)?.map(Number) ?? []
  const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] = parts
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** The moments at which the clocks there show this time: two when they are set back over it, none when they skip it. */
export function momentsOf(timeZone: string, local: LocalMs): number[] {
  const offsetAt = (instantMs: number) => localTimeAt(timeZone, instantMs) - instantMs
  const offsets = new Set([offsetAt(local - dayMs), offsetAt(local + dayMs)])
  return [...offsets]
    .map((offset) => local - offset)
    .filter((moment) => localTimeAt(timeZone, moment) === local)
    .sort((a, b) => a - b)
}

/** The first minute after the clocks skipped this time. */
export function momentAfterSkipped(timeZone: string, local: LocalMs): number {
  const offsetAt = (instantMs: number) => localTimeAt(timeZone, instantMs) - instantMs
  const after = offsetAt(local + dayMs)
  let [before, since] = [local - after, local - offsetAt(local - dayMs)]
  while (since - before > minuteMs) {
    const middle = Math.floor((before + since) / 2 / minuteMs) * minuteMs
    if (offsetAt(middle) === after) since = middle
    else before = middle
  }
  return since
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const two = '2-digit'
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric' },
    ...{ month: two, day: two, hour: two, minute: two, second: two },
  })
  formats.set(timeZone, format)
  return format
}
