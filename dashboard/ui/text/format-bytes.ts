/** A size as people read it. */
export function formatBytes(count: number): string {
  if (count < 1024) return `${count} B`
  if (count < 1024 * 1024) return `${(count / 1024).toFixed(1)} KiB`
  if (count < 1024 ** 3) return `${(count / 1024 ** 2).toFixed(1)} MiB`
  return `${(count / 1024 ** 3).toFixed(1)} GiB`
}
