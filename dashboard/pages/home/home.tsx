import { Anchor, Button, Group, Stack, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Empty } from '../../ui/empty.tsx'
import { ListView } from '../../ui/list-view.tsx'
import { Page } from '../../ui/page.tsx'
import { useMay } from '../accounts/use-me.ts'
import { RunsTable } from '../runs/runs-table.tsx'
import { useRuns } from '../runs/use-runs.ts'
import { NeedsMe } from './needs-me.tsx'
import { Numbers } from './numbers.tsx'

export default function Home() {
  const operator = useMay('operator')
  const runs = useRuns({ limit: '8' })
  return (
    <Page title="Home">
      <Stack gap="xl">
        <NeedsMe />
        <ListView
          query={runs}
          empty={
            <Empty
              purpose="Nothing has rung yet."
              example="A webhook is a URL; whatever is posted to it, the agent reads it and answers in a channel."
              action={
                operator ? (
                  <Button component={Link} to="/start">
                    Start in five minutes
                  </Button>
                ) : (
                  <Button component={Link} to="/channels" variant="default">
                    Talk to the agent
                  </Button>
                )
              }
            />
          }
        >
          {(items) => (
            <Numbers>
              <Stack gap={8}>
                <Group justify="space-between">
                  <Title order={2}>Just now</Title>
                  <Anchor component={Link} to="/runs" size="xs">
                    all runs
                  </Anchor>
                </Group>
                <RunsTable runs={items.slice(0, 8)} />
              </Stack>
            </Numbers>
          )}
        </ListView>
      </Stack>
    </Page>
  )
}
