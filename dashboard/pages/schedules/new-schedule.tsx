import { Alert, Stack } from '@mantine/core'
import type { Run } from '../../contract.ts'
import { useOne } from '../../hooks/use-api.ts'
import { useFilter } from '../../hooks/use-filter.ts'
import { useNavigateIfHere } from '../../hooks/use-navigate-if-here.ts'
import { notify } from '../../ui/feedback/notify.ts'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { BackTo } from '../../ui/layout/back-to.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { type Proposal, readProposal } from './read-proposal.ts'
import { ScheduleForm } from './schedule-form.tsx'

/** With `run` and `call`, it is filled with what the agent proposed in a chat. */
export default function NewSchedule() {
  const [runId] = useFilter('run')
  const [callId] = useFilter('call')
  const [zone] = useFilter('zone')
  const run = useOne<Run>(runId ? `/runs/${runId}` : null)
  return (
    <Page title="New schedule" back={<BackTo to="/schedules" what="schedules" />}>
      {runId && callId ? (
        <QueryView query={run}>{(value) => <Form proposal={readProposal(value, callId, zone)} />}</QueryView>
      ) : (
        <Form />
      )}
    </Page>
  )
}

function Form({ proposal }: { proposal?: Proposal | null }) {
  const navigateIfHere = useNavigateIfHere()
  return (
    <Stack>
      {proposal === null && <Alert color="yellow">This proposal no longer exists.</Alert>}
      {proposal && (
        <Alert variant="outline">
          The agent proposed this in {proposal.channelName ?? 'a conversation'}. Check the prompt and the
          times before you create it.
        </Alert>
      )}
      <ScheduleForm
        {...(proposal ? { proposal } : {})}
        onSaved={(schedule) => {
          notify('Schedule created')
          void navigateIfHere(`/schedules/${schedule.id}`)
        }}
      />
    </Stack>
  )
}
