import type { UserId, WebhookId } from '../shared/ids.ts'

/** On whose behalf the agent acts. A webhook has no person behind it. */
export type Requester =
  | { kind: 'webhook'; id: WebhookId; name: string }
  | { kind: 'user'; id: UserId; name: string; isAdmin: boolean }
  | { kind: 'api-key'; id: string; name: string; isAdmin: boolean }
  /** Somebody on a chat platform who is not linked to a user. */
  | { kind: 'guest'; id: string; name: string }
