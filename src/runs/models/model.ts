import type { LanguageModel } from 'ai'
import type { z } from 'zod'
import type { providerShape } from '../contract.ts'

export type ProviderName = z.output<typeof providerShape>

/** The one shape behind which every model stands, ours included. */
export type LanguageModelV4 = Extract<LanguageModel, { specificationVersion: 'v4' }>

/** A model that can be asked. */
export type Model = {
  provider: ProviderName
  name: string
  language: LanguageModelV4
  /** Turns the numbers in what it answered back into what the model wrote; see carry-numbers.ts. */
  unpack<T>(value: T): T
  /** How much it can read at once. */
  contextTokens: number
  takesImages: boolean
  /** Marks the part of a prompt that the provider shall remember. */
  cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } } | undefined
  /** What the provider is told with every call. */
  callOptions: { openai: { store: false } } | undefined
}

/** What people read wherever a model is named. */
export function modelLabel(provider: string, name: string): string {
  return provider === 'offline' ? 'offline (no language model)' : `${provider} ${name}`
}
