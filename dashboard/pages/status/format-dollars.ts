export function formatDollars(value: number): string {
  if (value > 0 && value < 0.0001) return '< $0.0001'
  return `$${value.toFixed(value !== 0 && value < 1 ? 4 : 2)}`
}

/** A model that used tokens without a cost has no price; that is not the same as being free. */
export function formatCost(cost: number, tokens: number): string {
  return cost === 0 && tokens > 0 ? 'No price set' : formatDollars(cost)
}
