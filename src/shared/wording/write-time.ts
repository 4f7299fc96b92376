/** `2026-11-19 15:40 (Europe/Berlin)`: reads the same in all countries. */
export function writeTime(time: Date, timeZone: string): string {
  return `${writeClock(time, timeZone)} (${timeZone})`
}

/** `Thursday 2026-11-19 15:40 (Europe/Berlin)` */
export function writeTimeWithDay(time: Date, timeZone: string): string {
  return `${formatsOf(timeZone).weekday.format(time)} ${writeTime(time, timeZone)}`
}

/** `2026-11-19 15:40`, where the time zone is named nearby. */
export function writeClock(time: Date, timeZone: string): string {
  return formatsOf(timeZone).dateAndTime.format(time)
}

/** Making them takes longer than writing a whole turn note. An installation has one time zone. */
let formats = makeFormats('UTC')

function formatsOf(timeZone: string) {
  if (timeZone !== formats.timeZone) formats = makeFormats(timeZone)
  return formats
}

function makeFormats(timeZone: string) {
  return {
    timeZone,
    weekday: new Intl.DateTimeFormat('en-US', { weekday: 'long', timeZone }),
    // Swedish dates are written as in ISO 8601.
    dateAndTime: new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone }),
  }
}
