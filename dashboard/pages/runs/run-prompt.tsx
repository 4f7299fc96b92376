import { Stack } from '@mantine/core'
import type { Run } from '../../contract.ts'
import { RawView } from '../../ui/code/raw-view.tsx'
import { Collapsible } from '../../ui/layout/collapsible.tsx'
import { plural } from '../../ui/text/plural.ts'
import { useHasRole } from '../accounts/use-me.ts'
import { WholePrompt } from './whole-prompt.tsx'

/** What the model was told, part by part. */
export function RunPrompt({ run }: { run: Run }) {
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
