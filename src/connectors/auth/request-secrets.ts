import { Secret } from '../../platform/secret.ts'
import { appendQuery, authPlacement } from './auth-placement.ts'
import type { AuthType } from './contract.ts'
import { usesOauth } from './oauth-settings.ts'

export type SecretSettings = {
  authType: AuthType
  authName: string | null
  authValue: Secret | null
  /** Values that are a `Secret` are sealed. */
  headers: readonly { name: string; value: string | Secret }[]
}

export type RequestSecrets = {
  /** The complete value of a secret header. */
  headerValue(name: string): string | null
  /** All secret headers with their values. */
  headers: Readonly<Record<string, string>>
  /** The URL with the key that belongs into its query, if there is one. */
  addTo(url: string): string
  /** Texts that must not reach the agent in an answer. */
  credentials: readonly string[]
}

/** Shorter ones would match ordinary text. */
const minMaskedLength = 8

/** The only place where a connector's secrets are revealed for sending. */
export function requestSecrets(settings: SecretSettings): RequestSecrets {
  const values = new Map<string, [name: string, value: string]>()
  const set = (name: string, value: string) => values.set(name.toLowerCase(), [name, value])
  for (const { name, value } of settings.headers) {
    if (value instanceof Secret) set(name, value.reveal())
  }
  const placement = authPlacement({ ...settings, hasAuthValue: settings.authValue !== null })
  const credential = settings.authValue?.reveal() ?? null
  if (placement?.in === 'header' && credential !== null)
    set(placement.name, authText(settings.authType, credential))

  const headers = Object.fromEntries(values.values())
  const texts = [...Object.values(headers), ...credentialForms(settings.authType, credential)]
  const credentials = [...new Set(texts)]
    .filter((text) => text.length >= minMaskedLength)
    // Longest first, so that masking a part does not leave the rest of a longer one.
    .sort((one, other) => other.length - one.length)
  return {
    headerValue: (name) => values.get(name.toLowerCase())?.[1] ?? null,
    headers,
    addTo: (url) =>
      placement?.in === 'query' && credential !== null
        ? appendQuery(url, placement.name, encodeURIComponent(credential))
        : url,
    credentials,
  }
}

function authText(authType: AuthType, value: string): string {
  if (authType === 'bearer' || usesOauth(authType)) return `Bearer ${value}`
  return authType === 'basic' ? `Basic ${Buffer.from(value).toString('base64')}` : value
}

/** An echo may contain the value itself, the encoded pair, or the password alone. */
function credentialForms(authType: AuthType, value: string | null): string[] {
  if (value === null) return []
  if (authType !== 'basic') return [value]
  return [value, Buffer.from(value).toString('base64'), value.slice(value.indexOf(':') + 1)]
}
