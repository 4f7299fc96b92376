import { Secret } from '../../platform/secret.ts'
import type { AuthType } from '../contract.ts'
import { authHeader } from './build-request.ts'

type SecretSettings = {
  authType: AuthType
  authHeaderName: string | null
  authValue: Secret | null
  /** Values that are a `Secret` are sealed. */
  headers: readonly { name: string; value: string | Secret }[]
}

export type RequestSecrets = {
  /** The complete value of a secret header. */
  headerValue(name: string): string | null
  /** Texts that must not reach the agent in an answer. */
  credentials: readonly string[]
}

/** Shorter ones would match ordinary text. */
const minMaskedLength = 8

/** The only place where a connector's secrets are revealed for sending. */
export function requestSecrets(settings: SecretSettings): RequestSecrets {
  const values = new Map<string, string>()
  for (const { name, value } of settings.headers) {
    if (value instanceof Secret) values.set(name.toLowerCase(), value.reveal())
  }
  const auth = authHeader({ ...settings, hasAuthValue: settings.authValue !== null })
  const credential = settings.authValue?.reveal() ?? null
  if (auth && credential !== null)
    values.set(auth.name.toLowerCase(), authText(settings.authType, credential))

  const texts = [...values.values(), ...credentialForms(settings.authType, credential)]
  const credentials = [...new Set(texts)]
    .filter((text) => text.length >= minMaskedLength)
    // Longest first, so that masking a part does not leave the rest of a longer one.
    .sort((one, other) => other.length - one.length)
  return { headerValue: (name) => values.get(name.toLowerCase()) ?? null, credentials }
}

/** The same for a server that takes only a bearer token. */
export function credentialsOf(token: Secret | null): readonly string[] {
  return requestSecrets({ authType: 'bearer', authHeaderName: null, authValue: token, headers: [] })
    .credentials
}

function authText(authType: AuthType, value: string): string {
  if (authType === 'bearer') return `Bearer ${value}`
  return authType === 'basic' ? `Basic ${Buffer.from(value).toString('base64')}` : value
}

/** An echo may contain the value itself, the encoded pair, or the password alone. */
function credentialForms(authType: AuthType, value: string | null): string[] {
  if (value === null) return []
  if (authType !== 'basic') return [value]
  return [value, Buffer.from(value).toString('base64'), value.slice(value.indexOf(':') + 1)]
}
