import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { ApiProblem, serverAnswers, unreachable } from './api.ts'
import { Frame } from './frame/frame.tsx'
import { NotFound } from './frame/not-found.tsx'
import { PageFault } from './frame/page-fault.tsx'
import { meQuery } from './pages/accounts/use-me.ts'

/** Every page and its URL. Each page is loaded when it is first opened. */

const root = createRootRouteWithContext<{ queries: QueryClient }>()({ notFoundComponent: NotFound })

// ── without a session ──
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('./pages/accounts/sign-in.tsx'), 'SignIn'),
})
const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyRouteComponent(() => import('./pages/accounts/setup.tsx'), 'Setup'),
})
const acceptLink = createRoute({
  getParentRoute: () => root,
  path: '/link',
  component: lazyRouteComponent(() => import('./pages/accounts/accept-link.tsx'), 'AcceptLink'),
})

// ── in the frame, signed in ──
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

/** A page that cannot be loaded because the server is away says so, and can be tried again. */
async function orUnreachable(error: unknown): Promise<never> {
  throw (await serverAnswers()) ? error : unreachable()
}

const page = <Path extends string>(path: Path, load: () => Promise<{ default: React.ComponentType }>) =>
  createRoute({
    getParentRoute: () => frame,
    path,
    component: lazyRouteComponent(() => load().catch(orUnreachable)),
  })

const framed = [
  page('/', () => import('./pages/home/home.tsx')),
  page('/start', () => import('./pages/home/first-run.tsx')),
  // One route, so that the page stays as it is, with what is typed in it, when it leads on to the first channel.
  page('/channels/{-$channelId}', () => import('./pages/channels/channels.tsx')),
  page('/webhooks', () => import('./pages/webhooks/webhooks.tsx')),
  page('/webhooks/new', () => import('./pages/webhooks/new-webhook.tsx')),
  page('/webhooks/$webhookId', () => import('./pages/webhooks/webhook.tsx')),
  page('/connectors', () => import('./pages/connectors/connectors.tsx')),
  page('/connectors/new', () => import('./pages/connectors/new-connector.tsx')),
  page('/connectors/import', () => import('./pages/connectors/import-connector.tsx')),
  page('/connectors/$connectorId', () => import('./pages/connectors/connector.tsx')),
  page('/connectors/$connectorId/tools/$toolId', () => import('./pages/connectors/tool.tsx')),
  page('/runs', () => import('./pages/runs/runs.tsx')),
  page('/runs/$runId', () => import('./pages/runs/run.tsx')),
  page('/approvals', () => import('./pages/approvals/approvals.tsx')),
  page('/approvals/$approvalId', () => import('./pages/approvals/approval.tsx')),
  page('/events', () => import('./pages/events/events.tsx')),
  page('/events/$eventId', () => import('./pages/events/event.tsx')),
  page('/settings/{-$tab}', () => import('./pages/settings/settings.tsx')),
]

export function makeRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([signIn, setup, acceptLink, frame.addChildren(framed)]),
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
