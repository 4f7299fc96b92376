import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { LiveEvents } from '../contract.ts'
import { openStream } from '../open-stream.ts'
import { refreshChanged } from '../refresh-changed.ts'

/** Whatever a page shows is read again when the server says that it changed. */
export function useLiveChanges(): void {
  const queries = useQueryClient()
  useEffect(() => {
    const changes = refreshChanged(queries)
    const all = () => void queries.invalidateQueries()
    const channels = () => changes.note({ channels: [] })
    const events: { [Name in keyof LiveEvents]: (body: LiveEvents[Name]) => void } = {
      changed: changes.note,
      missed: all,
      'channel.changed': channels,
      'channels.changed': channels,
    }
    const close = openStream('/stream', {
      // Each name comes with the body that the server's contract gives it.
      events: events as Record<string, (body: unknown) => void>,
      onReturn: all,
      // Refused, most likely for a session that has ended: asking who one is leads to the sign-in page then.
      onRefused: () => void queries.invalidateQueries({ queryKey: ['/me'] }),
    })
    return () => {
      close()
      changes.stop()
    }
  }, [queries])
}
