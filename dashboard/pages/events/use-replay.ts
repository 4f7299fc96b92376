import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../../api.ts'
import type { Run } from '../../contract.ts'
import { notifyProblem } from '../../ui/notify.ts'

/** Replays the event with its webhook's current settings, and shows the new run. */
export function useReplay(eventId: string | null) {
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => call<Run>('POST', `/events/${eventId}/replay`, {}),
    onSuccess: (run) => navigate({ to: `/runs/${run.id}` }),
    onError: notifyProblem,
  })
}
