import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiProblem, serverAnswers } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { Page } from '../ui/page.tsx'

/** How often a server that is away is asked whether it is back. */
const lookMs = 3000

export function PageFault({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const away = error instanceof ApiProblem && [0, 502, 503, 504].includes(error.status)
  const retry = async () => {
    // A page that could not be loaded is loaded with all the others; what was typed waits in the tab.
    if (away && (await serverAnswers())) location.reload()
    reset()
    void router.invalidate()
  }
  useEffect(() => {
    if (!away) return
    const look = setInterval(async () => (await serverAnswers()) && location.reload(), lookMs)
    return () => clearInterval(look)
  }, [away])
  return (
    <Page title="Not loaded">
      <Failed error={error} retry={() => void retry()} />
    </Page>
  )
}
