import { AsyncLocalStorage } from 'node:async_hooks'
import { limitAnswers } from '../platform/egress/limit-answers.ts'
import type { Secret } from '../platform/secret.ts'
import type { StreamingProvider } from './assemble-answer.ts'
import { contextWindowOf } from './context-windows.ts'
import { keepReasoning } from './keep-reasoning.ts'
import { type LanguageModelV4, type Model, type ProviderName, takesImages } from './model.ts'
import { createOfflineModel } from './offline-model.ts'
import { preserveNumbers } from './preserve-numbers.ts'
import { readModelResponses } from './read-model-response.ts'
import { isEventStream, streamAnswers } from './stream-answers.ts'
import { tidyContent } from './tidy-content.ts'

export type ModelChoice = {
  provider: ProviderName
  name: string
  baseUrl: string | null
  apiKey: Secret | null
  contextTokens: number | null
  maxOutputTokens: number | null
}

type Fetch = typeof globalThis.fetch

/** The longest answers of current models are about half a megabyte; in a stream, each of their words is wrapped in an event. */
const maxMib = 8
const maxStreamMib = 64

/** Providers are loaded on first use: an installation needs one of them, and each costs memory. */
export async function openModel(choice: ModelChoice, fetch: Fetch): Promise<Model> {
  const numbers = preserveNumbers()
  const { provider, name } = choice
  const listening = new AsyncLocalStorage<() => void>()
  return {
    provider,
    name,
    language:
      provider === 'offline'
        ? createOfflineModel(numbers)
        : tidyContent(await openLanguageModel({ ...choice, provider }, openFetch(provider))),
    listen: (onByte, ask) => listening.run(onByte, ask),
    unpack: numbers.unpack,
    contextTokens: choice.contextTokens ?? (provider === 'offline' ? 1_000_000 : contextWindowOf(name)),
    maxOutputTokens: choice.maxOutputTokens,
    takesImages: takesImages(provider),
    // We store the conversation ourselves, and a thread may continue with another account.
    callOptions: provider === 'openai' ? { openai: { store: false } } : undefined,
    loggedWarnings: new Set(),
    cacheMark: provider === 'anthropic' ? { anthropic: { cacheControl: { type: 'ephemeral' } } } : undefined,
  }

  function openFetch(streaming: StreamingProvider): Fetch {
    const limited = limitAnswers(
      fetch,
      (answer) => (isEventStream(answer) ? maxStreamMib : maxMib),
      'The model provider',
      () => listening.getStore(),
    )
    const streamed = streamAnswers(limited, { provider: streaming, maxMib })
    return readModelResponses(streamed, choice.apiKey, numbers)
  }
}

async function openLanguageModel(
  { provider, name, baseUrl, apiKey }: ModelChoice & { provider: Exclude<ProviderName, 'offline'> },
  fetch: Fetch,
): Promise<LanguageModelV4> {
  // Empty and not absent: otherwise the SDKs would look for a key in the environment.
  const common = { fetch, apiKey: apiKey?.reveal() ?? '', ...(baseUrl ? { baseURL: baseUrl } : {}) }
  switch (provider) {
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(common)(name)
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI(common)(name)
    case 'google':
      return (await import('@ai-sdk/google')).createGoogle(common)(name)
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const key = apiKey ? { apiKey: apiKey.reveal() } : {}
      const settings = { name: 'compatible', fetch, baseURL: baseUrl ?? '', ...key }
      return keepReasoning(createOpenAICompatible(settings)(name))
    }
    default:
      throw new Error(`Unhandled provider ${provider satisfies never}`)
  }
}
