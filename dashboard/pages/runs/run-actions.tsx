import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import type { Run } from '../../contract.ts'
import { useAction } from '../../hooks/use-action.ts'
import { askToConfirm } from '../../ui/feedback/ask-to-confirm.ts'
import { ConfirmButton } from '../../ui/feedback/confirm-button.tsx'
import { useHasRole } from '../accounts/use-me.ts'
import { useReplay } from '../events/use-replay.ts'
import { hasEnded } from './use-runs.ts'

export function RunActions({ run }: { run: Run }) {
  const operator = useHasRole('operator')
  const queries = useQueryClient()
  const path = `/runs/${run.id}`
  const cancel = useAction(() => call('POST', `${path}/cancel`), {
    words: 'Run canceled. Requests already sent stay sent.',
    changes: [path],
  })
  const retry = useAction(
    async () => queries.setQueryData([path], await call<Run>('POST', `${path}/retry-post`)),
    { words: 'Posting the reply again' },
  )
  const replay = useReplay(run.eventId)
  if (!operator) return null
  return (
    <>
      {couldNotBePosted(run) && (
        <Button
          size="xs"
          loading={retry.isPending}
          onClick={() =>
            run.error?.code === 'reply_ambiguous'
              ? askToConfirm({
                  title: 'Post the reply again?',
                  text: 'It may already be in the channel. Check there first to avoid posting it twice.',
                  action: 'Post again',
                  onConfirm: () => retry.mutate(),
                })
              : retry.mutate()
          }
        >
          Post reply again
        </Button>
      )}
      {run.eventId && !run.dryRun && !run.erased && hasEnded(run) && (
        <Button
          size="xs"
          variant={run.status === 'failed' && !couldNotBePosted(run) ? 'filled' : 'default'}
          loading={replay.isPending}
          onClick={() => replay.mutate()}
        >
          Replay
        </Button>
      )}
      {!hasEnded(run) && (
        <ConfirmButton
          question="Cancel this run?"
          text="The agent stops immediately and posts nothing. Requests already sent stay sent."
          confirm="Cancel run"
          cancel="Keep running"
          action={cancel}
        >
          Cancel
        </ConfirmButton>
      )}
    </>
  )
}

const postFaults = ['reply_refused', 'reply_ambiguous']

function couldNotBePosted({ error, reply }: Run): boolean {
  return reply?.state === 'withheld' && reply.text !== '' && postFaults.includes(error?.code ?? '')
}
