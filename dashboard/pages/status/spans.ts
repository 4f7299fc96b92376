export const spanHours = { day: 24, week: 168, month: 720, quarter: 2160 }

export const spans = [
  { value: 'day', label: '24 hours' },
  { value: 'week', label: '7 days' },
  { value: 'month', label: '30 days' },
  { value: 'quarter', label: '90 days' },
]

/** `24 hours`, `7 days`. */
export function spanWords(hours: number): string {
  return hours > 24 ? `${Math.round(hours / 24)} days` : `${hours} hours`
}
