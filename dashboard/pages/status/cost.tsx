import { formatCost } from './format-dollars.ts'

/** In cents, or a dash where nothing was used; the exact amount shows on hover. */
export function Cost({ cost, tokens }: { cost: number; tokens: number }) {
  if (tokens === 0) return '–'
  return <span title={cost > 0 ? `$${cost.toPrecision(4)}` : undefined}>{formatCost(cost, tokens)}</span>
}
