import { useMutation } from '@tanstack/react-query'
import { call } from '../../api.ts'
import type { Run } from '../../contract.ts'
import { useNavigateIfHere } from '../../hooks/use-navigate-if-here.ts'
import { notifyProblem } from '../../ui/feedback/notify.ts'

/** Replays the event with its webhook's current settings, and shows the new run. */
export function useReplay(eventId: string | null) {
  const navigateIfHere = useNavigateIfHere()
  return useMutation({
    mutationFn: () => call<Run>('POST', `/events/${eventId}/replay`, {}),
    onSuccess: (run) => navigateIfHere(`/runs/${run.id}`),
    onError: notifyProblem,
  })
}
