import { Text, UnstyledButton } from '@mantine/core'
import { call } from '../../api.ts'
import type { Schedule } from '../../contract.ts'
import { useAction } from '../../hooks/use-action.ts'
import { itemsOf, useList } from '../../hooks/use-api.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { useHasRole } from '../accounts/use-me.ts'
import classes from './panel/thread-panel.module.css'

/** When the agent continues the thread by itself; operators can cancel that here, everybody else by telling the agent. */
export function ComeBackLine({ threadId }: { threadId: string }) {
  const operator = useHasRole('operator')
  const planned = useList<Schedule>('/schedules', { threadId }, { live: true, enabled: operator })
  const cancel = useAction((id: string) => call<void>('DELETE', `/schedules/${id}`), {
    words: 'The agent will not look again',
    changes: ['/schedules'],
  })
  const [next] = itemsOf(planned)
  if (!next) return null
  return (
    <Text component="div" size="xs" c="dimmed" className={classes.planned}>
      <span>
        The agent looks again <RelativeTime at={next.nextTimes[0]} none="soon" />: {next.why}
      </span>
      <UnstyledButton
        className={classes.cancel}
        disabled={cancel.isPending}
        onClick={() => cancel.mutate(next.id)}
      >
        Cancel
      </UnstyledButton>
    </Text>
  )
}
