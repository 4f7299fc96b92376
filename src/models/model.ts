import type { LanguageModel } from 'ai'
import type { z } from 'zod'
import type { providerShape } from './contract.ts'

export type ProviderName = z.output<typeof providerShape>

/** The interface of every model, including our own. */
export type LanguageModelV4 = Extract<LanguageModel, { specificationVersion: 'v4' }>

/** A model that can be called. */
export type Model = {
  provider: ProviderName
  name: string
  language: LanguageModelV4
  /** Calls `onByte` for each sign of life of the provider while `ask` calls the model. */
  listen<T>(onByte: () => void, ask: () => Promise<T>): Promise<T>
  /** Restores the numbers in an answer to what the model wrote; see preserve-numbers.ts. */
  unpack<T>(value: T): T
  /** The size of its context window. */
  contextTokens: number
  /** The most tokens of one answer; null leaves it to the SDK, which knows common models. */
  maxOutputTokens: number | null
  takesImages: boolean
  /** Marks the part of a prompt that the provider should cache. */
  cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } } | undefined
  /** Options sent with every call. */
  callOptions: { openai: { store: false } } | undefined
  /** So that each is logged once. */
  loggedWarnings: Set<string>
}

/** What is behind a compatible address is not known, and some refuse a request with an image. */
export function takesImages(provider: ProviderName): boolean {
  return provider !== 'offline' && provider !== 'openai-compatible'
}
