/** Per million tokens, in the operator's currency (US dollars as shipped). */
type Price = {
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
}
export type PriceTable = Record<string, Price>

/**
 * What providers charged when this was written, by prefix of the model's name. Prices change: the settings override any row, and
 * a model without a price is counted as free.
 */
const shippedPrices: PriceTable = {
  'claude-opus': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  'claude-sonnet': { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  'claude-haiku': { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
  'gpt-5-mini': { input: 0.25, output: 2, cacheRead: 0.025 },
  'gpt-5-nano': { input: 0.05, output: 0.4, cacheRead: 0.005 },
  'gpt-5': { input: 1.25, output: 10, cacheRead: 0.125 },
  'gpt-4.1': { input: 2, output: 8, cacheRead: 0.5 },
  'gpt-4o-mini': { input: 0.15, output: 0.6, cacheRead: 0.075 },
  'gpt-4o': { input: 2.5, output: 10, cacheRead: 1.25 },
  'gemini-2.5-pro': { input: 1.25, output: 10, cacheRead: 0.31 },
  'gemini-2.5-flash': { input: 0.3, output: 2.5, cacheRead: 0.075 },
}

type TokenCounts = { input: number; output: number; cacheRead: number; cacheWrite: number }

/** `input` counts every token that was read, including cached ones. */
export function priceOf(tokens: TokenCounts, modelName: string, own: PriceTable): number {
  const price = findPrice(own, modelName) ?? findPrice(shippedPrices, modelName)
  if (!price) return 0
  // Some servers do not count cached tokens as read. A negative price would make room in a budget.
  const plain = Math.max(tokens.input - tokens.cacheRead - tokens.cacheWrite, 0)
  const sum =
    plain * price.input +
    tokens.cacheRead * (price.cacheRead ?? price.input) +
    tokens.cacheWrite * (price.cacheWrite ?? price.input) +
    tokens.output * price.output
  return sum / 1_000_000
}

/** Whether what it costs is known, 0 included. */
export function hasPrice({ provider, name }: { provider: string; name: string }, own: PriceTable): boolean {
  return provider === 'offline' || (findPrice(own, name) ?? findPrice(shippedPrices, name)) !== undefined
}

/** The longest prefix that fits: `gpt-5-mini` before `gpt-5`. */
function findPrice(table: PriceTable, modelName: string): Price | undefined {
  const fitting = Object.keys(table).filter((start) => modelName.startsWith(start))
  const best = fitting.sort((a, b) => b.length - a.length)[0]
  return best === undefined ? undefined : table[best]
}
