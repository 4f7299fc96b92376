import { Alert, Stack, Text } from '@mantine/core'
import type { Run } from '../../contract.ts'
import { BackTo } from '../../ui/back-to.tsx'
import { ErrorAlert } from '../../ui/error-alert.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { useParam } from '../../use-filter.ts'
import { RunActions } from './run-actions.tsx'
import { runHeadline, sourceOf } from './run-headline.ts'
import { RunRemedy } from './run-remedy.tsx'
import { RunSummary } from './run-summary.tsx'
import { Trace } from './trace.tsx'
import { useRun } from './use-runs.ts'

export default function RunPage() {
  const run = useRun(useParam('runId'))
  return (
    <Page
      title={run.data ? runHeadline(run.data, sourceOf(run.data)) : 'Run'}
      back={<BackTo to="/runs" what="runs" />}
      action={run.data ? <RunActions run={run.data} /> : null}
      wide
    >
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
