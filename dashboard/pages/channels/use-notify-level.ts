import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import type { Channel, NotifyLevel } from '../../contract.ts'
import { useQuickChange } from '../../hooks/use-quick-change.ts'

export const notifyLevels: { value: NotifyLevel; label: string }[] = [
  { value: 'all', label: 'All messages' },
  { value: 'mentions', label: 'Mentions and failures' },
  { value: 'muted', label: 'Muted' },
]

/** What counts as unread in the channel, for the reader alone. */
export function useNotifyLevel({ id, name, notify }: Channel) {
  const queries = useQueryClient()
  const { requested, change } = useQuickChange<{ notify: NotifyLevel }>({
    id: `notify:${id}`,
    save: (choice) => call<void>('PUT', `/channels/${id}/star`, choice),
    refresh: () => queries.invalidateQueries({ queryKey: ['/channels'] }),
  })
  return {
    level: requested?.notify ?? notify,
    choose(value: string | null) {
      const chosen = notifyLevels.find((one) => one.value === value)
      if (chosen) change({ notify: chosen.value }, `#${name}: ${chosen.label}`)
    },
  }
}
