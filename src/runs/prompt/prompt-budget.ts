import type { Model } from '../../models/model.ts'

/** What decides how much of a conversation is shown. */
export type PromptModel = { provider: string } & Pick<Model, 'contextTokens' | 'takesImages'>

/**
 * How many bytes may stand before the first step: half of the context window, at three bytes of UTF-8 per token. That holds in
 * any language: English has more letters per token, Chinese about one token per letter. The offline agent reads any length.
 */
export function promptBudget({ provider, contextTokens }: PromptModel): number {
  return provider === 'offline' ? Number.POSITIVE_INFINITY : (contextTokens / 2) * 3
}
