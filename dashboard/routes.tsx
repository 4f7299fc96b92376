import type { QueryClient } from '@tanstack/react-query'
import {
  type AnyRoute,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { ApiProblem, orUnreachable } from './api.ts'
import { Frame } from './frame/frame.tsx'
import { NotFound } from './frame/not-found.tsx'
import { PageFault } from './frame/page-fault.tsx'
import { meQuery } from './pages/accounts/use-me.ts'

/** Every page and its URL. Each page is loaded when it is first opened. */

const root = createRootRouteWithContext<{ queries: QueryClient }>()({ notFoundComponent: NotFound })

/** Around every page that needs a session. */
const frame = createRoute({
  getParentRoute: () => root,
  id: 'frame',
  component: Frame,
  errorComponent: PageFault,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queries.ensureQueryData(meQuery)
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 401) {
        throw redirect({ to: '/sign-in', search: { to: location.href === '/' ? undefined : location.href } })
      }
      throw error
    }
  },
})

type Load = () => Promise<{ default: React.ComponentType }>

const page = (parent: AnyRoute, path: string, load: Load) =>
  createRoute({
    getParentRoute: () => parent,
    path,
    component: lazyRouteComponent(() => load().catch(orUnreachable)),
  })

const withoutSession = [
  page(root, '/sign-in', () => import('./pages/accounts/sign-in.tsx')),
  page(root, '/setup', () => import('./pages/accounts/setup.tsx')),
  page(root, '/link', () => import('./pages/accounts/accept-link.tsx')),
]

const framed = [
  page(frame, '/', () => import('./pages/home/home.tsx')),
  page(frame, '/start', () => import('./pages/home/first-run.tsx')),
  // One route, so that the page stays as it is, with what is typed in it, when it leads on to the first channel.
  page(frame, '/channels/{-$channelId}', () => import('./pages/channels/channels.tsx')),
  page(frame, '/webhooks', () => import('./pages/webhooks/webhooks.tsx')),
  page(frame, '/webhooks/new', () => import('./pages/webhooks/new-webhook.tsx')),
  page(frame, '/webhooks/$webhookId', () => import('./pages/webhooks/webhook.tsx')),
  page(frame, '/connectors', () => import('./pages/connectors/connectors.tsx')),
  page(frame, '/connectors/new', () => import('./pages/connectors/new-connector.tsx')),
  page(frame, '/connectors/import', () => import('./pages/connectors/import-connector.tsx')),
  page(frame, '/connectors/$connectorId', () => import('./pages/connectors/connector.tsx')),
  page(frame, '/connectors/$connectorId/tools/$toolId', () => import('./pages/connectors/tool.tsx')),
  page(frame, '/runs', () => import('./pages/runs/runs.tsx')),
  page(frame, '/runs/$runId', () => import('./pages/runs/run.tsx')),
  page(frame, '/approvals', () => import('./pages/approvals/approvals.tsx')),
  page(frame, '/approvals/$approvalId', () => import('./pages/approvals/approval.tsx')),
  page(frame, '/events', () => import('./pages/events/events.tsx')),
  page(frame, '/events/$eventId', () => import('./pages/events/event.tsx')),
  page(frame, '/settings/{-$tab}', () => import('./pages/settings/settings.tsx')),
]

export function makeRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([...withoutSession, frame.addChildren(framed)]),
    context: { queries },
    defaultPreload: 'intent',
    defaultErrorComponent: PageFault,
    scrollRestoration: true,
    parseSearch,
    stringifySearch,
  })
}

/** Search parameters are plain text, so that a link looks as a person would write it. */
function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text))
}

function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value))
  }
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
