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
import { basePath } from './base-path.ts'
import { Frame } from './frame/frame.tsx'
import { NotFound } from './frame/not-found.tsx'
import { PageFault } from './frame/page-fault.tsx'
import { StartupScreen } from './frame/startup-screen.tsx'
import { localRedirect } from './pages/accounts/local-redirect.ts'
import { notForRole } from './pages/accounts/not-for-role.ts'
import { isAtLeast, meQuery } from './pages/accounts/use-me.ts'
import { keepDraftsOf } from './ui/forms/drafts.ts'
import { keepOpenedOf } from './ui/layout/opened-pages.ts'

/** Every page and its URL. Each page is loaded when first opened. */

const root = createRootRouteWithContext<{ queries: QueryClient }>()({ notFoundComponent: NotFound })

/** Around every page that needs a session. */
const frame = createRoute({
  getParentRoute: () => root,
  id: 'frame',
  component: Frame,
  pendingComponent: StartupScreen,
  pendingMs: 300,
  pendingMinMs: 0,
  errorComponent: PageFault,
  beforeLoad: async ({ context, location }) => {
    try {
      const { id } = await context.queries.ensureQueryData(meQuery)
      keepDraftsOf(id)
      keepOpenedOf(id)
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 401) {
        throw redirect({ to: '/sign-in', search: { to: location.href === '/' ? undefined : location.href } })
      }
      throw error
    }
  },
})

/** A member may follow a colleague's link: the page says why it is not for them before it asks the server for anything. */
const forOperators = createRoute({
  getParentRoute: () => frame,
  id: 'operators',
  beforeLoad: async ({ context }) => {
    const { role } = await context.queries.ensureQueryData(meQuery)
    if (!isAtLeast(role, 'operator')) throw notForRole('operator')
  },
})

/** For people who are not signed in. Those who are go on to where they wanted to go. */
const outside = createRoute({
  getParentRoute: () => root,
  id: 'outside',
  beforeLoad: async ({ context, search }) => {
    const { queries } = context
    const isKnown = queries.getQueryState(meQuery.queryKey)?.status === 'error'
    const me = isKnown ? null : await queries.ensureQueryData(meQuery).catch(() => null)
    const { to }: { to?: string } = search
    if (me) throw redirect({ to: localRedirect(to), replace: true })
  },
})

type Load = () => Promise<{ default: React.ComponentType }>

const page = (parent: AnyRoute, path: string, load: Load) =>
  createRoute({
    getParentRoute: () => parent,
    path,
    component: lazyRouteComponent(() => load().catch(orUnreachable)),
    // Nothing typed or shown for one thing is carried over to the next one of its kind.
    ...(path.includes('/$') ? { remountDeps: ({ params }: { params: object }) => params } : {}),
  })

const withoutSession = [
  outside.addChildren([page(outside, '/sign-in', () => import('./pages/accounts/sign-in.tsx'))]),
  page(root, '/setup', () => import('./pages/accounts/setup.tsx')),
  page(root, '/link', () => import('./pages/accounts/accept-link.tsx')),
]

const framed = [
  page(frame, '/', () => import('./pages/home/home.tsx')),
  page(frame, '/start', () => import('./pages/home/first-run.tsx')),
  // One route, so that the page keeps its state, including drafts, when it selects the first channel.
  page(frame, '/channels/{-$channelId}', () => import('./pages/channels/channels.tsx')),
  page(frame, '/runs', () => import('./pages/runs/runs.tsx')),
  page(frame, '/runs/$runId', () => import('./pages/runs/run.tsx')),
  page(frame, '/approvals', () => import('./pages/approvals/approvals.tsx')),
  page(frame, '/approvals/$approvalId', () => import('./pages/approvals/approval.tsx')),
  page(frame, '/questions/$questionId', () => import('./pages/questions/question.tsx')),
  page(frame, '/settings/{-$tab}', () => import('./pages/settings/settings.tsx')),
]

const operatorsOnly = [
  page(forOperators, '/webhooks', () => import('./pages/webhooks/webhooks.tsx')),
  page(forOperators, '/webhooks/new', () => import('./pages/webhooks/form/new-webhook.tsx')),
  page(forOperators, '/webhooks/$webhookId', () => import('./pages/webhooks/webhook.tsx')),
  page(forOperators, '/schedules', () => import('./pages/schedules/schedules.tsx')),
  page(forOperators, '/schedules/new', () => import('./pages/schedules/new-schedule.tsx')),
  page(forOperators, '/schedules/$scheduleId', () => import('./pages/schedules/schedule.tsx')),
  page(forOperators, '/connectors', () => import('./pages/connectors/connectors.tsx')),
  page(forOperators, '/connectors/new', () => import('./pages/connectors/new-connector.tsx')),
  page(forOperators, '/connectors/import', () => import('./pages/connectors/import/import-connector.tsx')),
  page(forOperators, '/connectors/$connectorId', () => import('./pages/connectors/connector.tsx')),
  page(
    forOperators,
    '/connectors/$connectorId/tools/$toolId',
    () => import('./pages/connectors/tools/tool.tsx'),
  ),
  page(forOperators, '/policies', () => import('./pages/policies/policies.tsx')),
  page(forOperators, '/policies/new', () => import('./pages/policies/new-policy.tsx')),
  page(forOperators, '/policies/$policyId', () => import('./pages/policies/policy.tsx')),
  page(forOperators, '/rehearsals', () => import('./pages/rehearsals/rehearsals.tsx')),
  page(forOperators, '/rehearsals/$rehearsalId', () => import('./pages/rehearsals/rehearsal.tsx')),
  page(forOperators, '/figures', () => import('./pages/figures/figures.tsx')),
  page(forOperators, '/events', () => import('./pages/events/events.tsx')),
  page(forOperators, '/events/$eventId', () => import('./pages/events/event.tsx')),
]

export function makeRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([
      ...withoutSession,
      frame.addChildren([...framed, forOperators.addChildren(operatorsOnly)]),
    ]),
    context: { queries },
    basepath: basePath,
    defaultPreload: 'intent',
    defaultErrorComponent: PageFault,
    scrollRestoration: true,
    parseSearch,
    stringifySearch,
  })
}

/** Search parameters are plain text, so that links look as a person would write them. */
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
