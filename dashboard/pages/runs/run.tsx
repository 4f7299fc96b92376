import { Alert, Anchor, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { eventOf, type RunId } from '../../../src/shared/ids.ts'
import { ApiProblem } from '../../api.ts'
import type { Run } from '../../contract.ts'
import { useParam } from '../../hooks/use-filter.ts'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { BackTo } from '../../ui/layout/back-to.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { RunActions } from './run-actions.tsx'
import { runHeadline, sourceOf } from './run-headline.ts'
import { RunRemedy } from './run-remedy.tsx'
import { RunSummary } from './run-summary.tsx'
import { Trace } from './trace/trace.tsx'
import { useRun } from './use-runs.ts'

export default function RunPage() {
  const id = useParam('runId')
  const run = useRun(id)
  return (
    <Page
      title={run.data ? runHeadline(run.data, sourceOf(run.data)) : 'Run'}
      back={<BackTo to="/runs" what="runs" />}
      action={run.data ? <RunActions run={run.data} /> : null}
      wide
    >
      {run.error instanceof ApiProblem && run.error.type === 'run-not-started' && !run.data ? (
        <ErrorAlert error={run.error}>
          <Anchor component={Link} to={`/events/${eventOf(id as RunId)}`} size="sm">
            Open the event
          </Anchor>
        </ErrorAlert>
      ) : (
        <QueryView query={run}>
          {(value) => (
            <Stack>
              <RunSummary run={value} />
              {value.error && <Ended run={value} {...value.error} />}
              {value.erased ? (
                <Text c="dimmed">
                  The content of this run was erased with its event. See the audit log for details.
                </Text>
              ) : (
                <Trace run={value} />
              )}
            </Stack>
          )}
        </QueryView>
      )}
    </Page>
  )
}

/** A failure is shown as an alert; a cancellation is not. */
function Ended({ run, code, message }: { run: Run; code: string; message: string }) {
  if (run.status === 'cancelled') {
    return (
      <Alert variant="default" title="Run canceled">
        {message}
      </Alert>
    )
  }
  const title = `Run failed: ${code.replaceAll(/[_-]/g, ' ')}`
  return (
    <ErrorAlert error={Object.assign(new Error(message), { title })}>
      <RunRemedy code={code} replayable={run.eventId !== null && !run.erased} />
    </ErrorAlert>
  )
}
