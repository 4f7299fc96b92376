import { useLocalStorage } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { call } from '../../api.ts'
import type { Message } from '../../contract.ts'
import { useUnread } from './use-unread.ts'

/** Whether this browser shows mentions as notifications of the system. */
export const useWantsNotifications = () =>
  useLocalStorage({ key: 'notify-mentions', defaultValue: false, getInitialValueInEffect: false })

/** Shows a new mention while nobody looks at the tab. */
export function useNotifiedMention(): void {
  const { latestMention } = useUnread()
  const [wanted] = useWantsNotifications()
  const navigate = useNavigate()
  // Ids sort by time; once the latest is read, an older one is no news.
  const known = useRef<string | null>(null)
  useEffect(() => {
    if (latestMention === undefined) return
    const before = known.current
    const id = latestMention ?? ''
    if (before === null || id > before) known.current = id
    if (before === null || id <= before || !wanted || !document.hidden) return
    const show = ({ author, text, channelId }: Message) => {
      // With the same tag, several tabs show it once.
      const shown = new Notification(`${author.name} mentioned you`, { body: text.slice(0, 200), tag: id })
      shown.onclick = () => {
        window.focus()
        shown.close()
        void navigate({ to: `/channels/${channelId}?message=${id}` })
      }
    }
    // If this fails, or the browser allows no notifications of pages as on phones, the title of the tab still says it.
    void call<Message>('GET', `/messages/${id}`)
      .then(show)
      .catch(() => undefined)
  }, [latestMention, wanted, navigate])
}
