import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { toolLabel } from '../../../src/shared/tool-label.ts'
import type { ToolCall } from '../../contract.ts'
import { Loading } from '../../ui/feedback/loading.tsx'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { RunStatusBadge } from './run-status.tsx'
import classes from './trace/trace.module.css'
import { useRun } from './use-runs.ts'

/** Loaded with the first reply: most pages around it are for setup. */
const Markdown = lazy(async () => ({ default: (await import('../../ui/code/markdown.tsx')).Markdown }))

/** A run in progress, in a few lines. */
export function LiveRun({ runId }: { runId: string }) {
  const run = useRun(runId)
  return (
    <section className={classes.reply} aria-label="Run" aria-live="polite">
      <QueryView query={run} rows={2}>
        {(value) => (
          <Stack gap={8}>
            <Group gap={8}>
              <RunStatusBadge status={value.status} />
              {value.toolCalls.map((call) => (
                <CallNote key={call.id} call={call} />
              ))}
              <Anchor component={Link} to={`/runs/${runId}`} size="xs">
                Open run
              </Anchor>
            </Group>
            {value.reply && (
              <Suspense fallback={<Loading rows={2} />}>
                <Markdown text={value.reply.text} />
              </Suspense>
            )}
            {value.error && <Text size="sm">{value.error.message}</Text>}
          </Stack>
        )}
      </QueryView>
    </section>
  )
}

function CallNote({ call: { tool, approvalId, response, error } }: { call: ToolCall }) {
  const hasEnded = response !== null || error !== null
  return approvalId && !hasEnded ? (
    <Anchor component={Link} to={`/approvals/${approvalId}`} size="xs">
      {toolLabel(tool)} needs approval
    </Anchor>
  ) : (
    <Text size="xs" c="dimmed">
      {hasEnded ? 'Called' : 'Calling'} {toolLabel(tool)}
    </Text>
  )
}
