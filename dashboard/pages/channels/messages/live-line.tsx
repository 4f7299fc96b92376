import { Loader, Text, UnstyledButton } from '@mantine/core'
import { call } from '../../../api.ts'
import { useAction } from '../../../hooks/use-action.ts'
import { askToConfirm } from '../../../ui/feedback/ask-to-confirm.ts'
import { useNow } from '../../../ui/feedback/use-now.ts'
import { useHasRole } from '../../accounts/use-me.ts'
import classes from './message-view.module.css'
import type { Activity } from './use-live-channel.ts'

/** What the agent or somebody else is doing right now, for how long; a run can be canceled here. */
export function LiveLine({ activity }: { activity: Activity[string] }) {
  const operator = useHasRole('operator')
  const { note, since, runId } = activity
  const cancel = useAction(() => call('POST', `/runs/${runId}/cancel`), { words: 'Run canceled' })
  const seconds = Math.floor((Math.max(useNow(), since) - since) / 1000)
  return (
    <Text component="div" size="xs" c="dimmed" mt={4} className={classes.live} aria-live="polite">
      {runId && <Loader size={12} color="gray" aria-hidden />}
      <span>{note}</span>
      {runId && seconds > 1 && <span aria-hidden>{seconds} s</span>}
      {runId && operator && (
        <UnstyledButton
          className={classes.cancel}
          disabled={cancel.isPending}
          onClick={() =>
            askToConfirm({
              title: 'Cancel this run?',
              text: 'The agent stops immediately and posts nothing. Requests already sent stay sent.',
              action: 'Cancel run',
              cancel: 'Keep running',
              onConfirm: () => cancel.mutate(),
            })
          }
        >
          Cancel
        </UnstyledButton>
      )}
    </Text>
  )
}
