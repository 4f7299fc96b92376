import type { Secret } from '../platform/secret.ts'

type Fetch = typeof globalThis.fetch

/** Shorter ones would match ordinary text. */
const shortestKey = 8

/** Some servers repeat the key they refuse, and everybody who may see the run sees the provider's message. */
export function maskKey(ask: Fetch, apiKey: Secret | null): Fetch {
  const key = apiKey?.reveal() ?? ''
  if (key.length < shortestKey) return ask
  return async (url, init) => {
    const answer = await ask(url, init)
    if (answer.body === null) return answer
    const { status, statusText, headers } = answer
    const text = (await answer.text()).replaceAll(key, '[masked credential]')
    return new Response(text, { status, statusText, headers: [...headers] })
  }
}
