import { formatFixed } from '../../ui/text/format-number.ts'

/** A duration for people. */
export function formatSeconds(value: number | null): string {
  if (value === null) return '–'
  if (value < 0.1) return `${Math.round(value * 1000)} ms`
  if (value < 10) return `${formatFixed(value, 1)} s`
  if (value < 120) return `${Math.round(value)} s`
  if (value < 7200) return `${Math.round(value / 60)} min`
  return `${formatFixed(value / 3600, 1)} h`
}
