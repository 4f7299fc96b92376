import { Anchor, Button, Group, Stack, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Paged } from '../../api.ts'
import type { RunRow } from '../../contract.ts'
import { pollMs, useOne } from '../../hooks/use-api.ts'
import { Empty } from '../../ui/feedback/empty.tsx'
import { Loading } from '../../ui/feedback/loading.tsx'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { useHasRole } from '../accounts/use-me.ts'
import { RunsTable } from '../runs/runs-table.tsx'
import { NeedsAttention } from './needs-attention.tsx'
import { Numbers } from './numbers.tsx'
import { useNeeds } from './use-needs.ts'
import { useNextSteps } from './use-next-steps.ts'

export default function Home() {
  const runs = useOne<Paged<RunRow>>('/runs?limit=8', pollMs)
  const { needs, unread } = useNeeds()
  const steps = useNextSteps()
  // All of the top at once: nothing that is being read moves.
  if (needs === null || steps === null || runs.isPending) {
    return (
      <Page title="Home">
        <Loading rows={3} />
      </Page>
    )
  }
  return (
    <Page title="Home">
      <Stack gap="xl">
        <NeedsAttention {...{ needs, unread, steps }} hasEvents={runs.data?.items.length !== 0} />
        <QueryView query={runs}>
          {({ items }) =>
            items.length === 0 ? (
              <NothingYet />
            ) : (
              <Numbers>
                <Stack gap={8}>
                  <Group justify="space-between">
                    <Title order={2}>Recent runs</Title>
                    <Anchor component={Link} to="/runs" size="xs">
                      View all
                    </Anchor>
                  </Group>
                  <RunsTable runs={items} />
                </Stack>
              </Numbers>
            )
          }
        </QueryView>
      </Stack>
    </Page>
  )
}

function NothingYet() {
  const operator = useHasRole('operator')
  return (
    <Empty
      purpose="No activity yet"
      example="A webhook is a URL. The agent reads every event posted to it and replies in a channel."
      action={
        operator ? (
          <Button component={Link} to="/start">
            Get started
          </Button>
        ) : (
          <Button component={Link} to="/channels" variant="default">
            Talk to the agent
          </Button>
        )
      }
    />
  )
}
