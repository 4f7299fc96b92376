import type { Door, Method, Route } from './api.ts'
import { apiDocs, openApiDocument } from './api-description.ts'
import type { AppContext } from './app.ts'
import * as approvals from './approvals/routes.ts'
import * as chat from './chat/routes.ts'
import type { Endpoint } from './endpoint.ts'
import * as health from './health.ts'

/**
 * Every URL of Bellhop, with the door it stands behind. The one address that is not in here is the webhook door itself,
 * `POST /hooks/<token>`: it bypasses the framework (src/webhooks/door.ts, mounted in src/app.ts).
 */
export const routes: readonly Route<AppContext>[] = [
  at('GET', '/healthz', 'anyone', health.healthz),
  at('GET', '/readyz', 'anyone', health.readyz),
  at('GET', '/metrics', 'anyone', health.metrics),
  at('GET', '/api/openapi.json', 'anyone', openApiDocument),
  at('GET', '/api/docs', 'anyone', apiDocs),

  at('GET', '/api/v1/approvals', 'member', approvals.listApprovals),
  at('GET', '/api/v1/approvals/{id}', 'member', approvals.getApproval),
  at('POST', '/api/v1/approvals/{id}/approve', 'admin', approvals.approve),
  at('POST', '/api/v1/approvals/{id}/deny', 'admin', approvals.deny),

  at('GET', '/api/v1/channels', 'member', chat.listChannels),
  at('POST', '/api/v1/channels', 'operator', chat.addChannel),
  at('GET', '/api/v1/channels/{id}', 'member', chat.showChannel),
  at('PATCH', '/api/v1/channels/{id}', 'operator', chat.patchChannel),
  at('DELETE', '/api/v1/channels/{id}', 'operator', chat.dropChannel),
  at('GET', '/api/v1/channels/{id}/messages', 'member', chat.listMessages),
  at('POST', '/api/v1/channels/{id}/messages', 'member', chat.addMessage),
  at('GET', '/api/v1/channels/{id}/stream', 'member', chat.followChannel),
  at('PUT', '/api/v1/channels/{id}/read', 'member', chat.putReadMark),
  at('POST', '/api/v1/channels/{id}/typing', 'member', chat.addTyping),
  at('GET', '/api/v1/messages', 'member', chat.searchMessages),
  at('GET', '/api/v1/messages/{id}', 'member', chat.showMessage),
  at('POST', '/api/v1/messages/{id}/decision', 'member', chat.decideOnCard),
  at('GET', '/api/v1/stream', 'member', chat.followAll),
]

function at(
  method: Method,
  path: string,
  door: Door,
  endpoint: Endpoint<AppContext>,
  options: { maxBytes?: number } = {},
): Route<AppContext> {
  return { method, path, door, endpoint, ...options }
}
