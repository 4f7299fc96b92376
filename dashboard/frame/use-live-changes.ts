import { useNetwork } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { LiveEvents } from '../contract.ts'
import { openStream } from '../open-stream.ts'
import { refreshChanged } from '../refresh-changed.ts'

/** A connection that breaks for a moment, as proxies cause, is not worth showing. */
const awayAfterMs = 5000

/** Reloads what a page shows when the server reports a change. Returns whether the server has been away for a while. */
export function useLiveChanges(): boolean {
  const queries = useQueryClient()
  const [away, setAway] = useState(false)
  const { online } = useNetwork()
  useEffect(() => {
    const changes = refreshChanged(queries)
    const channels = () => changes.note({ channels: ['unread'] })
    const events: { [Name in keyof LiveEvents]: (body: LiveEvents[Name]) => void } = {
      changed: changes.note,
      missed: changes.noteEverything,
      'channel.changed': channels,
      'channels.changed': channels,
    }
    let losing: ReturnType<typeof setTimeout> | undefined
    const close = openStream(() => '/stream', {
      // Each event name has the body that the server's contract gives it.
      events: events as Record<string, (body: unknown) => void>,
      onLost: () => {
        losing ??= setTimeout(() => setAway(true), awayAfterMs)
      },
      onReturn: () => {
        clearTimeout(losing)
        losing = undefined
        setAway(false)
        changes.noteEverything()
      },
      // Refused, most likely because the session ended: reading `/me` then leads to the sign-in page.
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
