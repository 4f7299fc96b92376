/** Times that people ask for most. What follows minute and hour, or the whole text if the clock time says nothing. */
export const presets = [
  { value: '*/15 * * * *', label: 'Every 15 minutes' },
  { value: '0 * * * *', label: 'Every hour' },
  { value: '* * *', label: 'Every day' },
  { value: '* * 1-5', label: 'Every weekday' },
  ...['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].map((day, at) => ({
    value: `* * ${(at + 1) % 7}`,
    label: `Every ${day}`,
  })),
  { value: '1 * *', label: 'First day of the month' },
  { value: '15 * *', label: '15th of the month' },
]

const usualTime = '09:00'

/** The preset of a cron text, and its time of day if it has one; without `preset` it is none of them. */
export function readCron(cron: string): { preset: string | null; time: string | null } {
  const text = cron.trim().replaceAll(/\s+/g, ' ')
  const [, minute = '', hour = '', days] = /^([0-5]?\d) ([01]?\d|2[0-3]) (.+)$/.exec(text) ?? []
  const preset = presets.find(({ value }) => value === (days ?? text))?.value
  if (preset === undefined) return { preset: null, time: null }
  return { preset, time: days === undefined ? null : `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` }
}

/** The cron text of a preset, at a time such as 09:00. */
export function writeCron(preset: string, time: string | null): string {
  if (preset.split(' ').length > 3) return preset
  const [hour, minute] = (time || usualTime).split(':')
  return `${Number(minute)} ${Number(hour)} ${preset}`
}
