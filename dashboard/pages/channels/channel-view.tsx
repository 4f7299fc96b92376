import { Text } from '@mantine/core'
import { useState } from 'react'
import type { Channel } from '../../contract.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { useFilter } from '../../use-filter.ts'
import classes from './channel-view.module.css'
import { Composer } from './composer.tsx'
import { MessageList } from './message-list.tsx'
import { ThreadPanel } from './thread-panel.tsx'
import { useLiveChannel } from './use-live-channel.ts'
import { useMessages } from './use-messages.ts'

type Props = { channelId: string; channel: Channel | undefined }

export function ChannelView({ channelId, channel }: Props) {
  const [threadId, setThread] = useFilter('thread')
  const [q, setQ] = useState<string | null>(null)
  const platform = channel?.platform ?? 'built-in'
  const doing = useLiveChannel(channelId)
  const messages = useMessages(channelId)
  const found = useMessages(channelId, { q: q ?? '' }, q !== null)
  return (
    <>
      <section className={classes.view} data-beside={threadId ? true : undefined} aria-label="Messages">
        <div className={classes.search}>
          <SearchField label="Search this channel" value={q ?? undefined} onChange={setQ} />
        </div>
        <MessageList
          channel={channel}
          query={q === null ? messages : found}
          flat={q !== null}
          noteOf={(id) => (id === threadId ? null : (doing[id]?.note ?? null))}
          onThread={setThread}
        />
        <Text className={classes.doing} size="xs" c="dimmed" aria-live="polite">
          {doing['']?.note ?? ''}
        </Text>
        <Composer channelId={channelId} threadId={null} platform={platform} />
      </section>
      {threadId && (
        <ThreadPanel
          channelId={channelId}
          threadId={threadId}
          platform={platform}
          note={doing[threadId]?.note ?? null}
          onClose={() => setThread(null)}
        />
      )}
    </>
  )
}
