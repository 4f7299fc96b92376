import { useNetwork } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { LiveEvents } from '../contract.ts'
import { openStream } from '../open-stream.ts'
import { refreshChanged } from '../refresh-changed.ts'

/** A line that breaks for a moment, as those through a proxy do, is no news. */
const awayAfterMs = 5000

/** Whatever a page shows is read again when the server says that it changed. Tells whether the server has been away for a while. */
export function useLiveChanges(): boolean {
  const queries = useQueryClient()
  const [away, setAway] = useState(false)
  const { online } = useNetwork()
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
    let losing: ReturnType<typeof setTimeout> | undefined
    const close = openStream('/stream', {
      // Each name comes with the body that the server's contract gives it.
      events: events as Record<string, (body: unknown) => void>,
      onLost: () => {
        losing ??= setTimeout(() => setAway(true), awayAfterMs)
      },
      onReturn: () => {
        clearTimeout(losing)
        losing = undefined
        setAway(false)
        all()
      },
      // Refused, most likely for a session that has ended: asking who one is leads to the sign-in page then.
      onRefused: () => void queries.invalidateQueries({ queryKey: ['/me'] }),
    })
    return () => {
      clearTimeout(losing)
      close()
      changes.stop()
    }
  }, [queries])
  return away || !online
}
