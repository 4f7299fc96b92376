import type { ScheduleId, UserId, WatchId, WebhookId } from '../../shared/ids.ts'

/** On whose behalf the agent acts. A webhook, a schedule or a watched channel has no person behind it. */
export type Requester =
  | SourceRequester
  | { kind: 'user'; id: UserId; name: string; isAdmin: boolean }
  | { kind: 'api-key'; id: string; name: string; isAdmin: boolean }
  /** Somebody on a chat platform who is not linked to a user. */
  | { kind: 'guest'; id: string; name: string }

type SourceRequester =
  | { kind: 'webhook'; id: WebhookId; name: string }
  | { kind: 'schedule'; id: ScheduleId; name: string }
  | { kind: 'watch'; id: WatchId; name: string }

export function isSource(requester: Requester): requester is SourceRequester {
  return requester.kind === 'webhook' || requester.kind === 'schedule' || requester.kind === 'watch'
}
