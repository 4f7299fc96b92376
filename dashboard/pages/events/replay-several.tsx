import { call } from '../../api.ts'
import { useBulk } from '../../hooks/use-bulk.ts'
import { BulkButton } from '../../ui/table/bulk-button.tsx'

type Props = { eventIds: string[]; onReplayed: () => void }

/** Replays each event with its webhook's current settings. */
export function ReplaySeveral({ eventIds, onReplayed }: Props) {
  const replay = useBulk((id: string) => call('POST', `/events/${id}/replay`, {}), {
    done: 'Replayed',
    what: 'event',
    changes: ['/runs', '/events'],
  })
  return <BulkButton verb="Replay" rows={eventIds} action={replay} onDone={onReplayed} />
}
