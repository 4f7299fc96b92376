import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { apiUrl } from '../../api.ts'

/** Keeps the unread marks of the channel list true. */
export function useLiveChannels(): void {
  const queries = useQueryClient()
  useEffect(() => {
    const stream = new EventSource(apiUrl('/stream'))
    const refresh = () => void queries.invalidateQueries({ queryKey: ['/channels'] })
    stream.addEventListener('channel.changed', refresh)
    stream.addEventListener('channels.changed', refresh)
    return () => stream.close()
  }, [queries])
}
