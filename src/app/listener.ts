import { join } from 'node:path'
import { getRequestListener, RequestError } from '@hono/node-server'
import { resourceMetadataUrl } from '../accounts/oidc/access-token.ts'
import { checkOrigin } from '../accounts/signing-in/check-origin.ts'
import { createApi } from '../http/api.ts'
import { publishApiChange } from '../http/publish-api-change.ts'
import { basePathOf, withoutBase } from '../platform/http-server/base-path.ts'
import type { Listener } from '../platform/http-server/listen.ts'
import { refuseTarget } from '../platform/http-server/refuse-unreadable.ts'
import { serveStaticFiles } from '../platform/http-server/static-files.ts'
import { routes } from '../routes.ts'
import type { AppContext } from './app-context.ts'

const dashboardFolder = join(import.meta.dirname, '../../dist/dashboard')

/** A worker only serves its own health and metrics; the other roles serve people and senders. */
const routesOfWorker = routes.filter(({ path }) => ['/healthz', '/readyz', '/metrics'].includes(path))

/** Deliveries go to the ingress of the webhooks, everything else to the API and the dashboard. */
export function createListener(ctx: AppContext): Listener {
  const isWorker = ctx.config.role === 'worker'
  const api = createApi(ctx, isWorker ? routesOfWorker : routes, {
    checkOrigin: (request) => checkOrigin(ctx, request),
    onDenied: (actor, { source, subject, ...detail }) =>
      ctx.audit(ctx.db, { actor, action: 'access.denied', subject, source, detail }),
    resourceMetadataUrl: (path) => (path === '/mcp' ? resourceMetadataUrl(ctx) : null),
    onChanged: (path, id) => publishApiChange(ctx.db, path, id),
    servePage: isWorker
      ? async () => null
      : serveStaticFiles({ folder: dashboardFolder, basePath: () => basePathOf(ctx.publicUrl) }),
  })
  const answer = getRequestListener((request, env) => api.fetch(request, env), {
    overrideGlobalObjects: false,
    // For requests without a Host: HTTP/1.0 has none, and some load balancers probe with it.
    hostname: 'localhost',
    errorHandler: (error) =>
      error instanceof RequestError ? refuseTarget() : new Response(null, { status: 500 }),
  })
  const base = basePathOf(ctx.publicUrl)
  return (request, response) => {
    // An absolute URL, as sent to a proxy: servers must accept it (RFC 9112 §3.2.2). An invalid one is refused later.
    const asked = request.url?.startsWith('/') ? null : URL.parse(request.url ?? '')
    if (asked) request.url = asked.pathname + asked.search
    if (base !== '') request.url = withoutBase(request.url ?? '/', base)
    if (request.url?.startsWith('/hooks/') && !isWorker) ctx.webhooks.ingress(request, response)
    else void answer(request, response)
  }
}
