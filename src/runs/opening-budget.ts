import type { Model } from './models/model.ts'

/**
 * How many characters may stand before the first step: half of the context window, at three characters per token. The offline
 * agent reads any length.
 */
export function openingBudget({ provider, contextTokens }: Model): number {
  return provider === 'offline' ? Number.POSITIVE_INFINITY : (contextTokens / 2) * 3
}
