import { formatFixed, formatNumber } from './format-number.ts'

const units = ['KB', 'MB', 'GB', 'TB']

/** A size as people read it: 1,024 bytes are 1 KB. */
export function formatBytes(count: number): string {
  if (count < 1024) return `${formatNumber(count)} B`
  const step = Math.min(Math.floor(Math.log2(count) / 10), units.length)
  const value = count / 1024 ** step
  return `${Number.isInteger(value) ? formatNumber(value) : formatFixed(value, 1)} ${units[step - 1]}`
}
