import { formatCost } from './format-dollars.ts'

/** In cents; the exact amount shows on hover. */
export function Cost({ cost, tokens }: { cost: number; tokens: number }) {
  return <span title={cost > 0 ? `$${cost.toPrecision(4)}` : undefined}>{formatCost(cost, tokens)}</span>
}
