/** A duration for people. */
export function formatSeconds(value: number | null): string {
  if (value === null) return '–'
  if (value < 10) return `${value.toFixed(1)} s`
  if (value < 120) return `${Math.round(value)} s`
  if (value < 7200) return `${Math.round(value / 60)} min`
  return `${(value / 3600).toFixed(1)} h`
}
