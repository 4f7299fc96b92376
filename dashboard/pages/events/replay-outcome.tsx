import { Group, Stack, Text } from '@mantine/core'
import type { Run } from '../../contract.ts'
import { Markdown } from '../../ui/code/markdown.tsx'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { formatNumber } from '../../ui/text/format-number.ts'
import { plural } from '../../ui/text/plural.ts'
import { RunStatusBadge } from '../runs/run-status.tsx'
import { useRun } from '../runs/use-runs.ts'
import { formatCost } from '../status/format-dollars.ts'

export function ReplayOutcome({ title, runId }: { title: string; runId: string | null }) {
  const run = useRun(runId)
  return (
    <Card label={title}>
      {runId === null ? (
        <Text c="dimmed">No run to compare with</Text>
      ) : (
        <QueryView query={run} rows={3}>
          {(value) => (
            <Stack gap={8}>
              <Group gap={8}>
                <Text fw={500}>{title}</Text>
                <RunStatusBadge status={value.status} />
                <Text size="xs" c="dimmed">
                  {figuresOf(value)}
                </Text>
              </Group>
              {value.reply ? (
                <Markdown text={value.reply.text} />
              ) : (
                <Text c="dimmed">{value.error?.message ?? 'No reply yet'}</Text>
              )}
            </Stack>
          )}
        </QueryView>
      )}
    </Card>
  )
}

function figuresOf({ toolCalls, usage, cost }: Run): string {
  const tokens = usage.inputTokens + usage.outputTokens
  return [
    plural(toolCalls.length, 'tool call'),
    `${formatNumber(tokens)} tokens`,
    formatCost(cost, tokens),
  ].join(' · ')
}
