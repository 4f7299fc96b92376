import { formatFixed } from '../../ui/text/format-number.ts'
import { locale } from '../../ui/text/locale.ts'

/** Two digits after the point, so that the numbers of a column can be compared. */
export function formatDollars(value: number): string {
  if (value > 0 && value < 0.005) return `< $${formatFixed(0.01, 2)}`
  return `$${formatFixed(value, 2)}`
}

/** Two digits of what is less than a cent, as one call of a model is. */
export function formatExactDollars(value: number): string {
  if (value >= 0.01) return formatDollars(value)
  return `$${value.toLocaleString(locale(), { maximumSignificantDigits: 2 })}`
}

/** A model that used tokens without a cost has no price; that is not the same as being free. */
export function formatCost(cost: number, tokens: number): string {
  return cost === 0 && tokens > 0 ? 'No price set' : formatExactDollars(cost)
}
