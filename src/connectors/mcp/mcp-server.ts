import type { Authenticator } from '../auth/authenticator.ts'
import type { Draft } from '../manage/draft/draft.ts'

/** What is needed to speak to a server. */
export type McpServer = {
  url: string
  /** Default headers that are no secret. */
  headers: Readonly<Record<string, string>>
  auth: Authenticator
  timeoutMs: number
  /** The `WWW-Authenticate` header of its last 401. */
  lastChallenge?: string | null
}

export function plainHeaders({ headers }: Pick<Draft, 'headers'>): Record<string, string> {
  return Object.fromEntries(
    headers.flatMap(({ name, value }) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}
