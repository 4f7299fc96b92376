import { formatDollars } from './format-dollars.ts'

type Props = { cost: number; tokens: number; model?: string | null }

/** A cell: in cents, or a dash where nothing was used or the price is unknown; the exact amount or the reason shows on hover. */
export function Cost({ cost, tokens, model }: Props) {
  if (tokens === 0) return '–'
  if (cost === 0) return <span title={`No price set${model ? ` for ${model}` : ''}`}>–</span>
  return <span title={`$${cost.toPrecision(4)}`}>{formatDollars(cost)}</span>
}
