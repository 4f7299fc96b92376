import { type RequestSecrets, requestSecrets, type SecretSettings } from './request-secrets.ts'

/** What authenticates the requests of one connector. */
export type Authenticator = {
  /** For the next request; or why nothing can be sent, and what to do. */
  secrets(): Promise<RequestSecrets | { refused: string }>
  /** The server answered 401 to these. Others that are worth one more try, or null. */
  renew(used: RequestSecrets): Promise<RequestSecrets | null>
  /** The server refused a request because the token lacks these scopes; the next sign-in asks for them. */
  lacks(scopes: string): Promise<void>
  /** Texts that must not be shown, of everything that was sent. */
  credentials(): readonly string[]
}

/** Secrets that a person entered. */
export function fixedAuthenticator(settings: SecretSettings): Authenticator {
  const secrets = requestSecrets(settings)
  return {
    secrets: async () => secrets,
    renew: async () => null,
    lacks: async () => undefined,
    credentials: () => secrets.credentials,
  }
}
