import { Button, Group, NumberInput, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../api.ts'
import type { Rehearsal } from '../../contract.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useList } from '../../hooks/use-api.ts'
import { Card } from '../../ui/layout/card.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { DrillResults } from './drill-results.tsx'
import { RehearsalSummary } from './rehearsal-summary.tsx'
import { useRehearsal } from './use-rehearse.ts'

/** Proves by trying what the list above says: orders are hidden in the latest event. */
export function DrillCard({ webhookId }: { webhookId: string }) {
  const [budget, setBudget] = useState<number | string>(1)
  const latest = useList<Rehearsal>('/rehearsals', { webhookId, drills: 'true', limit: '1' })
  const id = latest.data?.pages[0]?.items[0]?.id ?? null
  const { data: drill } = useRehearsal(id)
  const start = useAction(
    () => call<Rehearsal>('POST', `/webhooks/${webhookId}/drill`, { budget: Number(budget) }),
    {
      words: 'Drill started',
      changes: ['/rehearsals'],
    },
  )
  return (
    <Card label="Drill">
      <Stack gap={12}>
        <Text fw={500}>Drill</Text>
        <Text size="sm" maw={640}>
          Hides the orders of an attacker in the latest event and runs each with your prompt, model, tools and
          policies. Reads are real. Nothing is written or posted, and nobody is asked.
        </Text>
        <Group align="flex-end" gap={12}>
          <NumberInput label="Budget (USD)" min={0} step={0.5} w={140} value={budget} onChange={setBudget} />
          <Button
            variant="default"
            loading={start.isPending || (drill !== undefined && drill.endedAt === null)}
            disabled={!(Number(budget) > 0)}
            onClick={() => start.mutate()}
          >
            Run drill
          </Button>
        </Group>
        {drill && (
          <>
            <Text size="sm" c="dimmed">
              Latest drill: <RelativeTime at={drill.createdAt} />, by {drill.createdBy}
            </Text>
            <RehearsalSummary rehearsal={drill} />
            <DrillResults drill={drill} />
          </>
        )}
      </Stack>
    </Card>
  )
}
