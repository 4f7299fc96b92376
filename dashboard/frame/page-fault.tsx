import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiProblem, serverAnswers } from '../api.ts'
import { ErrorAlert } from '../ui/feedback/error-alert.tsx'
import { Page } from '../ui/layout/page.tsx'

/** How often we check whether the server is back. */
const pollMs = 3000

export function PageFault({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const away = error instanceof ApiProblem && [0, 502, 503, 504].includes(error.status)
  const retry = async () => {
    // The code of the page could not be loaded, so reload everything; drafts are kept in the tab.
    if (away && (await serverAnswers())) location.reload()
    reset()
    void router.invalidate()
  }
  useEffect(() => {
    if (!away) return
    const look = setInterval(async () => (await serverAnswers()) && location.reload(), pollMs)
    return () => clearInterval(look)
  }, [away])
  return (
    <Page title={titleOf(error)}>
      <ErrorAlert error={error} retry={() => void retry()} />
    </Page>
  )
}

function titleOf(error: unknown): string {
  const status = error instanceof ApiProblem ? error.status : undefined
  if (status === 403) return 'No access'
  return status === 404 ? 'Not found' : 'Page failed to load'
}
