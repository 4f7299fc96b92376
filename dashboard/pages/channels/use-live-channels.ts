import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { openStream } from '../../open-stream.ts'

/** Keeps the unread marks of the channel list true. */
export function useLiveChannels(): void {
  const queries = useQueryClient()
  useEffect(() => {
    const refresh = () => void queries.invalidateQueries({ queryKey: ['/channels'] })
    return openStream('/stream', {
      events: { 'channel.changed': refresh, 'channels.changed': refresh },
      onReturn: refresh,
    })
  }, [queries])
}
