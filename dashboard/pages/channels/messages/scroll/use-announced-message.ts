import { useEffect, useRef } from 'react'
import type { Message } from '../../../../contract.ts'
import { announce } from '../../../../ui/feedback/announce.tsx'
import { useMe } from '../../../accounts/use-me.ts'

/** Announces new messages of others. */
export function useAnnouncedMessage(newest: Message | undefined): void {
  const me = useMe()
  const known = useRef<Message | undefined>(undefined)
  useEffect(() => {
    const before = known.current
    known.current = newest
    if (!newest || before?.channelId !== newest.channelId || newest.id <= before.id) return
    if (newest.author.id !== me.id) announce(`New message from ${newest.author.name}`)
  }, [newest, me.id])
}
