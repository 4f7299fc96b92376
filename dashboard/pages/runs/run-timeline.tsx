import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { toolLabel } from '../../../src/shared/tool-label.ts'
import type { Run, Step, ToolCall } from '../../contract.ts'
import { Collapsible } from '../../ui/collapsible.tsx'
import { formatNumber } from '../../ui/format-number.ts'
import { Markdown } from '../../ui/markdown.tsx'
import { plural } from '../../ui/plural.ts'
import { RawView } from '../../ui/raw-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useHasRole } from '../accounts/use-me.ts'
import { linkToMessage } from '../channels/link-to-message.ts'
import { formatMilliseconds } from './format-duration.ts'
import classes from './run-timeline.module.css'
import { Block, Timeline } from './timeline.tsx'
import { ToolCallBlock } from './tool-call-block.tsx'
import { hasEnded } from './use-runs.ts'
import { WholePrompt } from './whole-prompt.tsx'

/** What happened, in order: what the model said, each tool call, the reply. */
export function RunTimeline({ run }: { run: Run }) {
  const start = run.startedAt
  const calls = new Map(run.toolCalls.map((call) => [call.id, call]))
  const stepped = new Set(run.steps.flatMap((step) => step.calls.map((call) => call.id)))
  return (
    <Timeline>
      <Block at={start} start={start}>
        <Instructions run={run} />
      </Block>
      {run.steps.map((step) => (
        <Fragment key={step.seq}>
          <Block at={step.startedAt} start={start}>
            <ModelStep
              step={step}
              isReply={step.text !== '' && step.text === run.reply?.text}
              isFallback={step.model !== null && step.model !== run.model}
            />
          </Block>
          {step.calls
            .map(({ id }) => calls.get(id))
            .map((call) => call && <CallBlock key={call.id} call={call} start={start} />)}
        </Fragment>
      ))}
      {run.toolCalls
        .filter((call) => !stepped.has(call.id))
        .map((call) => (
          <CallBlock key={call.id} call={call} start={start} />
        ))}
      {!hasEnded(run) && (
        <Block at={null} start={start}>
          <Unfinished {...run} />
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

function Unfinished({
  status,
  modelPause,
  modelSilence,
}: Pick<Run, 'status' | 'modelPause' | 'modelSilence'>) {
  if (status === 'queued') return <StatusBadge tone="idle" word="queued" />
  if (status === 'waiting') return <StatusBadge tone="waiting" word="waiting for approval" />
  if (modelPause)
    return (
      <Group gap={8}>
        <StatusBadge tone="waiting" word="waiting for the model provider" />
        <Text size="xs" c="dimmed">
          {modelPause.until ? (
            <>
              The request failed. Retrying <RelativeTime at={modelPause.until} />.
            </>
          ) : (
            'The model does not answer. The run goes on when it does.'
          )}
        </Text>
      </Group>
    )
  if (modelSilence)
    return (
      <Group gap={8}>
        <StatusBadge tone="waiting" word="waiting for the model" />
        <Text size="xs" c="dimmed">
          The model has sent nothing since <RelativeTime at={modelSilence.since} />. The call is given up and
          tried again <RelativeTime at={modelSilence.until} />.
        </Text>
      </Group>
    )
  return <StatusBadge tone="busy" word="running" />
}

function CallBlock({ call, start }: { call: ToolCall; start: string | null }) {
  return (
    <Block at={call.startedAt} start={start}>
      <ToolCallBlock call={call} />
    </Block>
  )
}

function Instructions({ run }: { run: Run }) {
  const operator = useHasRole('operator')
  return (
    <Stack gap={8}>
      <Collapsible title="Prompt" summary={run.prompt}>
        <RawView what="Prompt" text={run.prompt} />
      </Collapsible>
      {operator && run.system && <WholePrompt run={run} />}
      {!operator && run.system && (
        <Collapsible title="System prompt" summary={plural(run.tools.length, 'tool')}>
          <RawView what="System prompt" text={run.system} />
        </Collapsible>
      )}
      {!operator && run.turnNote && (
        <Collapsible title="Turn" summary={run.turnNote}>
          <RawView what="Turn" text={run.turnNote} />
        </Collapsible>
      )}
      {run.threadContext && <ThreadContext context={run.threadContext} />}
    </Stack>
  )
}

/** What others wrote in the thread that the agent was called into. */
function ThreadContext({
  context: { messages, leftOut, problem },
}: {
  context: NonNullable<Run['threadContext']>
}) {
  const read = problem === null ? plural(messages.length, 'message') : 'could not be read'
  const text = messages.map(({ author, text, at }) => `${author.name} (${author.kind}) · ${at}\n${text}`)
  return (
    <Collapsible
      title={`Read from the thread: ${read}`}
      summary={leftOut > 0 ? `${plural(leftOut, 'message')} left out` : messages[0]?.text}
    >
      <RawView what="Thread" text={problem ?? text.join('\n\n')} />
    </Collapsible>
  )
}

/** Text that becomes the reply is shown below, as it appears in the channel. */
function ModelStep({ step, isReply, isFallback }: { step: Step; isReply: boolean; isFallback: boolean }) {
  const tools = step.calls.map((call) => toolLabel(call.tool)).join(', ')
  return (
    <Stack gap={4}>
      {step.text === '' || isReply ? (
        <Text c="dimmed">
          {isReply
            ? 'The model wrote the reply.'
            : tools === ''
              ? 'The model returned nothing.'
              : `The model called ${tools}.`}
        </Text>
      ) : (
        <Markdown text={step.text} />
      )}
      <Text size="xs" c="dimmed">
        {formatMilliseconds(step.modelMs)} · {formatNumber(step.usage.inputTokens)} tokens in,{' '}
        {formatNumber(step.usage.outputTokens)} out
        {isFallback && ` · answered by the fallback, ${step.model}`}
      </Text>
    </Stack>
  )
}

function Reply({ run, text }: { run: Run; text: string }) {
  const { messageId, permalink } = run.reply ?? {}
  return (
    <Stack gap={8}>
      <Group gap={8}>
        <Text fw={500}>Reply</Text>
        {run.channelId && run.channelName ? (
          <Anchor component={Link} to={linkToMessage({ channelId: run.channelId, messageId })} size="xs">
            Open in channel
          </Anchor>
        ) : (
          permalink && (
            <Anchor href={permalink} size="xs">
              Open original message
            </Anchor>
          )
        )}
      </Group>
      <div className={classes.reply}>
        <Markdown text={text} />
      </div>
    </Stack>
  )
}
