import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import type { LedgerEvent } from '../../contract.ts'
import { ConfirmButton } from '../../ui/feedback/confirm-button.tsx'
import { notify, notifyProblem } from '../../ui/feedback/notify.ts'
import { useHasRole } from '../accounts/use-me.ts'
import { KeepCase } from '../rehearsals/cases/keep-case.tsx'
import { useReplay } from './use-replay.ts'

export function EventActions({ event }: { event: LedgerEvent }) {
  const operator = useHasRole('operator')
  const queries = useQueryClient()
  const replay = useReplay(event.id)
  const erase = useMutation({
    mutationFn: () => call<void>('DELETE', `/events/${event.id}`),
    onSuccess: () => {
      notify('Event erased')
      queries.removeQueries({ queryKey: [`/events/${event.id}/body`] })
      void queries.invalidateQueries()
    },
    onError: notifyProblem,
  })
  if (!operator || event.erased) return null
  return (
    <>
      <ConfirmButton
        question="Erase this event?"
        text="Its body, the content of its runs and all tool responses are erased for good. The audit log keeps a record that it happened."
        confirm="Erase event"
        action={erase}
      >
        Erase
      </ConfirmButton>
      <KeepCase event={event} />
      <Button size="xs" loading={replay.isPending} onClick={() => replay.mutate()}>
        {hasNoRun(event) ? 'Run it anyway' : 'Replay'}
      </Button>
    </>
  )
}

/** A rule decided that the event needs no run, another event's run handles it, or its schedule missed the time. */
export function hasNoRun({ status, rule }: LedgerEvent): boolean {
  if (status === 'failed') return isFailedNotice({ status, rule })
  return ['skipped', 'notified', 'joined', 'missed'].includes(status)
}

/** The text of a rule could not be posted. */
export function isFailedNotice({ status, rule }: Pick<LedgerEvent, 'status' | 'rule'>): boolean {
  return status === 'failed' && rule !== null && rule.then !== 'run'
}
