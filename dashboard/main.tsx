// In a layer of its own, so that our styles win whatever the order of the files.
import '@mantine/core/styles.layer.css'
import '@mantine/notifications/styles.layer.css'
import '@mantine/spotlight/styles.layer.css'
import './app.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiProblem, serverAnswers } from './api.ts'
import { colours } from './colours.ts'
import { makeRouter } from './routes.tsx'
import { sendOnce } from './send-once.ts'
import { theme } from './theme.ts'

// zod would otherwise compile its checks, and asks whether it may as soon as a schema is made, which violates the content security
// policy. Set before any page with a form is loaded.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })

/** An expired session leads to sign-in and back to the same page; drafts are kept in the tab. */
function leaveWhenSignedOut(error: Error): void {
  if (!(error instanceof ApiProblem) || error.type !== 'not-signed-in') return
  const { pathname, href } = router.state.location
  if (pathname === '/sign-in') return
  queries.removeQueries({ queryKey: ['/me'] })
  void router.navigate({ to: '/sign-in', search: { to: href } })
}

/** A refusal may mean that somebody's role was changed: what it no longer allows is then not offered any more. */
function handleError(error: Error): void {
  leaveWhenSignedOut(error)
  if (error instanceof ApiProblem && error.status === 403) {
    void queries.invalidateQueries({ queryKey: ['/me'] })
  }
}

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: handleError }),
  mutationCache: new MutationCache({ onError: handleError }),
  defaultOptions: {
    queries: {
      staleTime: 2000,
      retry: (failures, error) =>
        failures < 2 && (!(error instanceof ApiProblem) || error.status >= 500 || error.status === 0),
    },
    // An action is done or refused now, never queued until the network is back.
    mutations: { networkMode: 'always' },
  },
})

const router = makeRouter(queries)

sendOnce(queries)

// After an update the old release's files are gone, so an open page reloads once to get the new ones. Not if the server is down:
// the browser would replace our page by its own error page.
window.addEventListener('vite:preloadError', async () => {
  const last = Number(sessionStorage.getItem('reloaded-at') ?? 0)
  if (Date.now() - last < 30_000 || !(await serverAnswers())) return
  sessionStorage.setItem('reloaded-at', String(Date.now()))
  location.reload()
})

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={colours} defaultColorScheme="auto">
      <QueryClientProvider client={queries}>
        <Notifications position="bottom-right" limit={4} transitionDuration={120} />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
