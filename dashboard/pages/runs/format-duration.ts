import { formatFixed } from '../../ui/text/format-number.ts'

/** The time between two moments, as short as possible. */
export function formatDuration(from: string | null | undefined, to: string | null | undefined): string {
  if (!from) return '–'
  return formatMilliseconds((to ? new Date(to).getTime() : Date.now()) - new Date(from).getTime())
}

export function formatMilliseconds(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  const seconds = ms / 1000
  if (seconds < 9.95) return `${formatFixed(seconds, 1)} s`
  // Rounded before the division, or two minutes would be "1 min 60 s".
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  const minutes = Math.round(whole / 60)
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
  return `${Math.round(minutes / 60 / 24)} days`
}
