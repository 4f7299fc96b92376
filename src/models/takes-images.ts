import type { ProviderName } from './model.ts'

/** What is behind a compatible address is not known, and some refuse a request with an image. */
export function takesImages(provider: ProviderName): boolean {
  return provider !== 'offline' && provider !== 'openai-compatible'
}
