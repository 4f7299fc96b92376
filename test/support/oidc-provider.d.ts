/** The part of it that tests use. Its own types need those of a whole web framework. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  type Grant = {
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }
  type Token = { destroy(): Promise<void>; accountId?: string; clientId?: string }

  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    Grant: new (of: {
      accountId: string
      clientId: string
    }) => Grant
    AccessToken: { find(value: string): Promise<Token | undefined> }
    ClientCredentials: { find(value: string): Promise<Token | undefined> }
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{ params: Record<string, string> }>
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Record<string, unknown>,
    ): Promise<void>
    on(
      event: string,
      listener: (ctx: { oidc: { params?: Record<string, string> } }, error?: Error) => void,
    ): void
  }
}
