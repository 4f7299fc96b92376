export function formatDollars(value: number): string {
  if (value > 0 && value < 0.0001) return '< $0.0001'
  return `$${value.toFixed(value !== 0 && value < 1 ? 4 : 2)}`
}
