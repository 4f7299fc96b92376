import { SegmentedControl, Stack, Text } from '@mantine/core'
import type { Rehearsal } from '../../contract.ts'
import { useParam, useUrlChoice } from '../../hooks/use-filter.ts'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { BackTo } from '../../ui/layout/back-to.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { formatNumber } from '../../ui/text/format-number.ts'
import { DrillResults } from './drill-results.tsx'
import { changeWords, outcomes } from './outcomes.ts'
import { RehearsalSummary } from './rehearsal-summary.tsx'
import { RehearsedEvent } from './rehearsed-event.tsx'
import { useRehearsal } from './use-rehearse.ts'

export default function RehearsalPage() {
  const rehearsal = useRehearsal(useParam('rehearsalId'))
  const { data } = rehearsal
  const what = data?.scheduleId ? 'schedule' : 'webhook'
  return (
    <Page
      title={data ? `${data.isDrill ? 'Drill' : 'Rehearsal'} of ${data.name}` : 'Rehearsal'}
      place="Rehearsals"
      back={data && <BackTo to={`/${what}s/${data.webhookId ?? data.scheduleId}`} what={what} />}
    >
      <QueryView query={rehearsal}>
        {(value) => (value.isDrill ? <ShownDrill drill={value} /> : <Shown rehearsal={value} />)}
      </QueryView>
    </Page>
  )
}

function ShownDrill({ drill }: { drill: Rehearsal }) {
  return (
    <Stack gap="lg">
      <Card label="Summary">
        <RehearsalSummary rehearsal={drill} />
      </Card>
      <DrillResults drill={drill} />
    </Stack>
  )
}

function Shown({ rehearsal }: { rehearsal: Rehearsal }) {
  const [shown, show] = useUrlChoice('show', ['different', 'all'])
  const worst = (outcome: string | null) => {
    const place = outcomes.findIndex(({ id }) => id === outcome)
    return place < 0 ? outcomes.length : place
  }
  const different = rehearsal.events.filter(
    ({ outcome, checks }) =>
      (outcome !== null && outcome !== 'same') || checks.some(({ passed }) => passed === false),
  )
  const events = (shown === 'all' ? rehearsal.events : different).toSorted(
    (a, b) => worst(a.outcome) - worst(b.outcome),
  )
  return (
    <Stack gap="lg">
      <Card label="Summary" edge={rehearsal.counts.newWrite > 0 ? 'bad' : 'idle'}>
        <RehearsalSummary rehearsal={rehearsal} />
      </Card>
      <Text size="sm" c="dimmed">
        {`Tried: ${changeWords(rehearsal.change)}. Reads: ${rehearsal.reads}. Started by ${rehearsal.createdBy}.`}
      </Text>
      <SegmentedControl
        aria-label="Events to show"
        value={shown}
        onChange={show}
        data={[
          {
            value: 'different',
            label: `Different (${formatNumber(different.length)})`,
          },
          { value: 'all', label: `All (${formatNumber(rehearsal.total)})` },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      {events.length === 0 && (
        <Text size="sm" c="dimmed">
          {rehearsal.endedAt ? 'No event has another outcome.' : 'No event has another outcome so far.'}
        </Text>
      )}
      <Stack gap={8}>
        {events.map((event) => (
          <RehearsedEvent key={event.eventId} event={event} />
        ))}
      </Stack>
    </Stack>
  )
}
