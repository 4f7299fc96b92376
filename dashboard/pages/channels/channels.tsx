import { Center } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconMessages } from '@tabler/icons-react'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Channel } from '../../contract.ts'
import { itemsOf, useOne } from '../../hooks/use-api.ts'
import { useFilter } from '../../hooks/use-filter.ts'
import { Empty } from '../../ui/feedback/empty.tsx'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { BackTo } from '../../ui/layout/back-to.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { SearchField } from '../../ui/table/search-field.tsx'
import { useHasRole } from '../accounts/use-me.ts'
import { ChannelActions } from './channel-actions.tsx'
import { ChannelView } from './channel-view.tsx'
import classes from './channels.module.css'
import { ChannelList } from './list/channel-list.tsx'
import { NewChannel } from './list/new-channel.tsx'
import { useListWidth } from './list/use-list-width.ts'
import { ShowAbout } from './panel/show-about.tsx'
import { StarChannel } from './star-channel.tsx'
import { useChannels } from './use-channels.ts'

/** Up to this many need no search field. */
const fewChannels = 15

export default function Channels() {
  const { channelId }: { channelId?: string } = useParams({ strict: false })
  const narrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false })
  const operator = useHasRole('operator')
  // Fresh, as its messages are: where the reader left off is asked once, when the channel is opened.
  const channels = useChannels(undefined, true)
  const [find, setFind] = useFilter('find')
  const found = useChannels(find)
  const items = itemsOf(channels)
  const listed = items.find(({ id }) => id === channelId)
  // Not among the first hundred: a connected workspace may have more.
  const other = useOne<Channel>(channelId && channels.data && !listed ? `/channels/${channelId}` : null)
  const chosen = listed ?? other.data
  // The channel with the latest message.
  const first = items.toSorted((a, b) => (b.lastMessageAt ?? '').localeCompare(a.lastMessageAt ?? ''))[0]
  const { ref, width, separator } = useListWidth(!narrow)
  const [clickedId, setClickedId] = useState<string | null>(null)
  const navigate = useNavigate()
  const toOpen = channelId || narrow ? undefined : first?.id
  // Once for each: <Navigate> would do it with every rendering until the router has arrived, which the router renders anew.
  useEffect(() => {
    if (toOpen) void navigate({ to: `/channels/${toOpen}`, replace: true })
  }, [toOpen, navigate])
  return (
    <Page
      title={chosen ? `#${chosen.name}` : 'Channels'}
      back={narrow && channelId ? <BackTo to="/channels" what="all channels" /> : null}
      action={
        chosen ? (
          <>
            <StarChannel channel={chosen} />
            <ShowAbout />
            <ChannelActions channel={chosen} />
          </>
        ) : null
      }
      flush
    >
      <div className={classes.channels} ref={ref}>
        {!(narrow && channelId) && (
          <div className={classes.list} style={narrow ? undefined : { width }}>
            {(channels.hasNextPage || items.length > fewChannels) && (
              <SearchField label="Search channels" value={find} onChange={setFind} />
            )}
            <ListView
              query={found}
              empty={
                find !== undefined ? (
                  <Empty purpose="No matching channels" />
                ) : (
                  <Empty
                    icon={<IconMessages size="1.75rem" stroke={1.5} aria-hidden />}
                    purpose="Channels are where the agent replies and people talk to it."
                    example="#orders, #incidents, #general"
                  />
                )
              }
            >
              {(all: Channel[]) => (
                <ChannelList channels={all} chosenId={channelId ?? null} onClick={setClickedId} />
              )}
            </ListView>
            {operator && <NewChannel />}
          </div>
        )}
        {!narrow && <div {...separator} className={classes.separator} />}
        {channelId && (chosen || channels.isPending) && (
          <ChannelView
            key={channelId}
            channelId={channelId}
            channel={chosen}
            // On a touch screen it would open the keyboard over what is to be read.
            autoFocus={clickedId === channelId && matchMedia('(pointer: fine)').matches}
            isCurrent={!channels.isFetching && !other.isFetching}
          />
        )}
        {!chosen && other.error && (
          <Center flex={1}>
            <ErrorAlert error={other.error} retry={() => void other.refetch()} />
          </Center>
        )}
      </div>
    </Page>
  )
}
