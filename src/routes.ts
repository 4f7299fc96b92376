import type { Door, Method, Route } from './api.ts'
import { apiDocs, openApiDocument } from './api-description.ts'
import type { AppContext } from './app.ts'
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
