import { Button } from '@mantine/core'
import { call } from '../../api.ts'
import { useBulk } from '../../hooks/use-bulk.ts'

type Props = { eventIds: string[]; onReplayed: () => void }

/** Replays each event with its webhook's current settings. */
export function ReplaySeveral({ eventIds, onReplayed }: Props) {
  const replay = useBulk((id: string) => call('POST', `/events/${id}/replay`, {}), {
    done: 'Replayed',
    what: 'event',
    changes: ['/runs', '/events'],
  })
  if (eventIds.length === 0) return null
  return (
    <Button
      size="xs"
      loading={replay.isPending}
      onClick={() => replay.mutate(eventIds, { onSuccess: onReplayed })}
    >
      Replay {eventIds.length}
    </Button>
  )
}
