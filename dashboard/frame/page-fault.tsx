import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { ApiProblem, serverAnswers } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { Page } from '../ui/page.tsx'

export function PageFault({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = async () => {
    // A page that could not be loaded is loaded with all the others; what was typed waits in the tab.
    if (error instanceof ApiProblem && error.type === 'unreachable' && (await serverAnswers()))
      location.reload()
    reset()
    void router.invalidate()
  }
  return (
    <Page title="Not loaded">
      <Failed error={error} retry={() => void retry()} />
    </Page>
  )
}
