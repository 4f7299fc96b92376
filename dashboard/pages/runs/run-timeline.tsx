import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Run, Step } from '../../contract.ts'
import { Folded } from '../../ui/folded.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { RawView } from '../../ui/raw-view.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import classes from './run-timeline.module.css'
import { Block, Timeline } from './timeline.tsx'
import { ToolCallBlock } from './tool-call-block.tsx'
import { hasEnded } from './use-runs.ts'

/** What happened, in its order: what the model said, each tool call, the reply. */
export function RunTimeline({ run }: { run: Run }) {
  const start = run.startedAt
  return (
    <Timeline>
      {(run.steps ?? []).map((step, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added at the end
        <Block key={at} at={step.at} start={start}>
          <ModelStep step={step} />
        </Block>
      ))}
      {(run.toolCalls ?? []).map((call) => (
        <Block key={call.id} at={null} start={start}>
          <ToolCallBlock call={call} />
        </Block>
      ))}
      {!hasEnded(run) && (
        <Block at={null} start={start}>
          <StatusBadge
            tone={run.status === 'waiting' ? 'waiting' : 'busy'}
            word={run.status === 'waiting' ? 'waits for a decision' : 'working'}
          />
        </Block>
      )}
      {run.reply && (
        <Block at={run.endedAt} start={start}>
          <Reply run={run} text={run.reply.text} />
        </Block>
      )}
    </Timeline>
  )
}

function ModelStep({ step }: { step: Step }) {
  return (
    <Stack gap={8}>
      {step.text ? <Markdown text={step.text} /> : <Text c="dimmed">The model chose its tools.</Text>}
      <Folded title="Raw step">
        <RawView what="Step" text={JSON.stringify(step, null, 2)} />
      </Folded>
    </Stack>
  )
}

function Reply({ run, text }: { run: Run; text: string }) {
  return (
    <Stack gap={8}>
      <Group gap={8}>
        <Text fw={500}>Reply</Text>
        {run.channelId && (
          <Anchor component={Link} to={`/channels/${run.channelId}`} size="xs">
            open in the channel
          </Anchor>
        )}
      </Group>
      <div className={classes.reply}>
        <Markdown text={text} />
      </div>
    </Stack>
  )
}
