/** Between two times, as short as it can be said. */
export function duration(from: string | null | undefined, to: string | null | undefined): string {
  if (!from) return '–'
  return durationOf((to ? new Date(to).getTime() : Date.now()) - new Date(from).getTime())
}

export function durationOf(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`
}
