import { Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import type { Channel } from '../../contract.ts'
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
  const [search, setSearch] = useState('')
  const [q] = useDebouncedValue(search.trim(), 200)
  const doing = useLiveChannel(channelId)
  const messages = useMessages(channelId)
  const found = useMessages(channelId, { q }, q !== '')
  return (
    <>
      <section className={classes.view} data-beside={threadId ? true : undefined} aria-label="Messages">
        <div className={classes.search} data-slash>
          <TextInput
            size="xs"
            aria-label="Search this channel"
            placeholder="Search this channel"
            leftSection={<IconSearch size={14} />}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
        </div>
        <MessageList
          channel={channel}
          query={q === '' ? messages : found}
          flat={q !== ''}
          noteOf={(id) => (id === threadId ? null : (doing[id]?.note ?? null))}
          onThread={setThread}
        />
        <Text className={classes.doing} size="xs" c="dimmed" aria-live="polite">
          {doing['']?.note ?? ''}
        </Text>
        <Composer channelId={channelId} threadId={null} platform={channel?.platform ?? 'built-in'} />
      </section>
      {threadId && (
        <ThreadPanel
          channelId={channelId}
          threadId={threadId}
          note={doing[threadId]?.note ?? null}
          onClose={() => setThread(null)}
        />
      )}
    </>
  )
}
