import type { UserId, WebhookId } from '../ids.ts'

/** On whose behalf the agent asks. A webhook has no human behind it. */
export type Requester =
  | { kind: 'webhook'; id: WebhookId; name: string }
  | { kind: 'user'; id: UserId; name: string; isAdmin: boolean }
  | { kind: 'api-key'; id: string; name: string; isAdmin: boolean }
  /** Somebody in a chat platform who is not linked to a user. */
  | { kind: 'guest'; id: string; name: string }
