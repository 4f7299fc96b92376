import { Anchor, Group, Stack, Tabs, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Run } from '../../../contract.ts'
import { Markdown } from '../../../ui/code/markdown.tsx'
import { RawView } from '../../../ui/code/raw-view.tsx'
import { formatNumber } from '../../../ui/text/format-number.ts'
import { RelativeTime } from '../../../ui/text/relative-time.tsx'
import { useHasRole } from '../../accounts/use-me.ts'
import { linkToMessage } from '../../channels/messages/link-to-message.ts'
import { BodyView } from '../../events/body-view.tsx'
import { formatExactDollars } from '../../status/format-dollars.ts'
import { AnswerView } from '../../tools/answer-view.tsx'
import { RequestView } from '../../tools/request-view.tsx'
import { formatDuration, formatMilliseconds } from '../format-duration.ts'
import { RunPrompt } from '../run-prompt.tsx'
import { FoundTools, readFoundTools } from './found-tools.tsx'
import { ToolCallHead } from './tool-call-head.tsx'
import classes from './trace.module.css'
import type { RowSubject, TraceRow } from './trace-rows.ts'

/** The parts of a step, by the names of their tabs. */
type Parts = { head?: ReactNode; tabs: Record<string, ReactNode> }

export function TraceInspector({ run, row }: { run: Run; row: TraceRow }) {
  const operator = useHasRole('operator')
  const { head, tabs } = partsOf(run, row.subject, operator)
  const names = Object.keys(tabs).filter((name) => tabs[name] !== null)
  return (
    <Stack gap={12}>
      <Text fw={600} component="h2" size="md" m={0} style={{ overflowWrap: 'anywhere' }}>
        {row.title}
      </Text>
      {head}
      {names.length > 0 && (
        <Tabs defaultValue={names[0] ?? null} keepMounted={false}>
          <Tabs.List mb={12}>
            {names.map((name) => (
              <Tabs.Tab key={name} value={name} px={10}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {names.map((name) => (
            <Tabs.Panel key={name} value={name}>
              {tabs[name]}
            </Tabs.Panel>
          ))}
        </Tabs>
      )}
    </Stack>
  )
}

function partsOf(run: Run, subject: RowSubject, operator: boolean): Parts {
  switch (subject.kind) {
    case 'event':
      return {
        tabs: {
          Event: run.eventId && operator ? <BodyView eventId={run.eventId} /> : null,
          Prompt: <RunPrompt run={run} />,
        },
      }
    case 'model':
      return modelParts(run, subject)
    case 'tool':
      return toolParts(subject)
    case 'built-in': {
      const found = readFoundTools(subject.call.tool, subject.call.result)
      return {
        tabs: {
          Found: found && <FoundTools tools={found} run={run} />,
          Answer:
            subject.call.result === null ? null : <RawView what="Answer" text={subject.call.result} json />,
          Input: <Input value={subject.call.input} />,
        },
      }
    }
    case 'reply':
      return {
        head: <ReplyLink run={run} />,
        tabs: { Reply: <Reply text={subject.text} />, Raw: <RawView what="Reply" text={subject.text} /> },
      }
    default:
      throw new Error(`Unhandled row ${subject satisfies never}`)
  }
}

function modelParts(run: Run, subject: Extract<RowSubject, { kind: 'model' }>): Parts {
  const { step, attempts, isReply } = subject
  return {
    head: step ? (
      <Text size="xs" c="dimmed">
        {formatMilliseconds(step.modelMs)} · {formatNumber(step.usage.inputTokens)} tokens in,{' '}
        {formatNumber(step.usage.outputTokens)} out
        {step.usage.inputTokens + step.usage.outputTokens > 0 && (
          <>
            {' · '}
            {step.cost > 0 ? formatExactDollars(step.cost) : 'No price set'}
          </>
        )}
        {step.model !== null && step.model !== run.model && ` · answered by the fallback, ${step.model}`}
      </Text>
    ) : (
      <ModelWait run={run} />
    ),
    tabs: {
      Attempts: attempts.length > 0 ? <Attempts run={run} attempts={attempts} /> : null,
      Answer: step && <ModelAnswer step={step} isReply={isReply} />,
      Prompt: <RunPrompt run={run} />,
      Raw: step && <RawView what="Step" text={JSON.stringify(step, null, 2)} />,
    },
  }
}

/** Why a model call has no answer yet. */
function ModelWait({ run: { modelPause, modelSilence } }: { run: Run }) {
  if (modelPause)
    return (
      <Text size="sm">
        {modelPause.until ? (
          <>
            Waiting for the model provider. Retrying <RelativeTime at={modelPause.until} />.
          </>
        ) : (
          'The model does not answer. The run continues when it does.'
        )}
      </Text>
    )
  if (modelSilence)
    return (
      <Text size="sm">
        The model has sent nothing since <RelativeTime at={modelSilence.since} />. Bellhop cancels the call
        and tries again <RelativeTime at={modelSilence.until} />.
      </Text>
    )
  return null
}

function Attempts({ run, attempts }: { run: Run; attempts: Run['attempts'] }) {
  return (
    <Stack component="ol" gap={8} m={0} pl={20}>
      {attempts.map((attempt) => (
        <li key={attempt.startedAt}>
          <Text size="sm">{attempt.message}</Text>
          <Text size="xs" c="dimmed">
            after {formatDuration(run.startedAt, attempt.startedAt)} · took{' '}
            {formatDuration(attempt.startedAt, attempt.endedAt)}
            {attempt.retryAt
              ? ` · retried ${formatDuration(attempt.endedAt, attempt.retryAt)} later`
              : ' · gave up'}
          </Text>
        </li>
      ))}
    </Stack>
  )
}

function ModelAnswer({ step, isReply }: { step: Run['steps'][number]; isReply: boolean }) {
  const tools = step.calls.map(({ tool }) => tool).join(', ')
  return (
    <Stack gap={8}>
      {step.text !== '' && !isReply && <Reply text={step.text} />}
      <Text size="sm" c="dimmed">
        {isReply
          ? 'The model wrote the reply.'
          : tools !== ''
            ? `The model called ${tools}.`
            : step.text === ''
              ? 'The model returned nothing.'
              : 'The model called no tools.'}
      </Text>
    </Stack>
  )
}

function toolParts({ call, result }: Extract<RowSubject, { kind: 'tool' }>): Parts {
  return {
    head: <ToolCallHead call={call} />,
    tabs: {
      Answer: call.response && <AnswerView answer={call.response} />,
      Input: <Input value={call.input} />,
      Request: call.request && <RequestView request={call.request} />,
      'Model view': result === null ? null : <RawView what="Result for the model" text={result} />,
      Raw: <RawView what="Call" text={JSON.stringify(call, null, 2)} />,
    },
  }
}

function Input({ value }: { value: unknown }) {
  return <RawView what="Input" text={JSON.stringify(value, null, 2) ?? ''} />
}

function Reply({ text }: { text: string }) {
  return (
    <div className={classes.reply}>
      <Markdown text={text} />
    </div>
  )
}

function ReplyLink({ run }: { run: Run }) {
  const { messageId, permalink } = run.reply ?? {}
  return (
    <Group gap={8}>
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
  )
}
