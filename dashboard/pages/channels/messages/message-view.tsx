import { Anchor, Avatar, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { shallowEqual } from '@mantine/hooks'
import { IconArrowUpRight } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { Message } from '../../../contract.ts'
import { BellIcon } from '../../../ui/layout/bell-icon.tsx'
import { BrandTile } from '../../../ui/logos/brand-tile.tsx'
import { brandNamed } from '../../../ui/logos/brands.ts'
import { perLocale } from '../../../ui/text/locale.ts'
import { RelativeTime } from '../../../ui/text/relative-time.tsx'
import { useHasRole } from '../../accounts/use-me.ts'
import { MessageText } from '../message-text.tsx'
import { ThreadSummary } from '../panel/thread-summary.tsx'
import { EditMessage } from './edit-message.tsx'
import { useEditing } from './editing.ts'
import { LiveLine } from './live-line.tsx'
import { MessageCard } from './message-card.tsx'
import { MessageFiles } from './message-files.tsx'
import { MessageTools } from './message-tools.tsx'
import classes from './message-view.module.css'
import { Reactions } from './reactions/reactions.tsx'
import type { Activity } from './use-live-channel.ts'

type Props = {
  message: Message
  replies?: Message[]
  marked?: boolean
  /** Where a link to it leads, if it is shown more than once. */
  anchor?: boolean
  /** The author wrote the message before it too, a moment ago. */
  continued?: boolean
  /** What is going on right now in its thread. */
  activity?: Activity[string] | null
  onThread?: (message: Message) => void
}

/** Not rendered anew when another message arrives. */
export const MessageView = memo(function MessageView(props: Props) {
  const { message, replies, marked = false, anchor = false, continued = false } = props
  const { activity = null, onThread } = props
  const last = replies?.at(-1)
  const isEdited = useEditing().messageId === message.id && anchor
  return (
    <article
      className={classes.message}
      {...(anchor ? { id: message.id } : {})}
      data-marked={marked || undefined}
      data-continued={continued || undefined}
    >
      <div aria-hidden>{continued ? <Clock at={message.createdAt} /> : <Picture message={message} />}</div>
      <div className={classes.body}>
        {!continued && <Head message={message} />}
        <MessageTools
          message={message}
          onReply={onThread && !last ? () => onThread(message) : undefined}
          editable={anchor}
        />
        {/* The card contains everything; its text is for platforms without cards. */}
        {isEdited ? (
          <EditMessage message={message} />
        ) : message.deletedAt ? (
          <Text size="sm" c="dimmed" fs="italic">
            This message was deleted.
          </Text>
        ) : (
          message.text !== message.card?.title && <MessageText text={message.text} />
        )}
        {message.files.length > 0 && <MessageFiles files={message.files} />}
        {message.card && <MessageCard message={message} card={message.card} />}
        <Reactions message={message} />
        {last && (
          <div className={classes.last}>
            <MessageView message={last} />
          </div>
        )}
        {activity && <LiveLine activity={activity} />}
        {onThread && replies && last && (
          <UnstyledButton className={classes.thread} onClick={() => onThread(message)}>
            <VisuallyHidden>Open thread: </VisuallyHidden>
            <ThreadSummary replies={replies} />
          </UnstyledButton>
        )}
      </div>
    </article>
  )
}, isSame)

function isSame({ replies: before, ...one }: Props, { replies, ...other }: Props): boolean {
  return shallowEqual(before, replies) && shallowEqual(one, other)
}

function Head({ message }: { message: Message }) {
  const { author, origin } = message
  const operator = useHasRole('operator')
  return (
    <div className={classes.head}>
      <Text span fw={600}>
        {origin?.source ?? author.name}
      </Text>
      {/* A rule's notice has no run, and only operators see events. */}
      {origin && (operator || message.runId) && (
        <Anchor
          component={Link}
          to={operator ? `/events/${origin.eventId}` : `/runs/${message.runId}`}
          className={classes.event}
          title={origin.title ?? undefined}
          underline="hover"
        >
          <bdi>{origin.title ?? 'Event'}</bdi>
          <IconArrowUpRight size="0.75rem" aria-hidden />
        </Anchor>
      )}
      {author.kind !== 'user' && (
        <span className={classes.kind}>{origin ? `${author.name} (${author.kind})` : author.kind}</span>
      )}
      <Text span size="xs" c="dimmed">
        <RelativeTime at={message.createdAt} />
        {message.editedAt && !message.deletedAt ? ' · edited' : ''}
        {message.delivery === 'failed' ? ' · not delivered' : ''}
        {message.delivery === 'ambiguous' ? ' · delivery uncertain' : ''}
      </Text>
    </div>
  )
}

/** A person's initials; the source of an event or the service that it names, with the bell; or the bell alone. */
function Picture({ message: { author, origin } }: { message: Message }) {
  if (author.kind === 'user') return <Avatar size={32} name={author.name} color="gray" c="inherit" />
  if (!origin?.source)
    return (
      <span className={classes.bell}>
        <BellIcon size="1.25rem" />
      </span>
    )
  const brand = brandNamed(origin.source)
  return (
    <span className={classes.source}>
      {brand ? (
        <BrandTile brand={brand} size={32} />
      ) : (
        <Avatar size={32} radius="sm" name={origin.source} color="initials" />
      )}
      <span className={classes.corner}>
        <BellIcon size="0.75rem" />
      </span>
    </span>
  )
}

const hours = perLocale((tag) => new Intl.DateTimeFormat(tag, { hour: '2-digit', minute: '2-digit' }))

function Clock({ at }: { at: string }) {
  const time = hours().format(new Date(at))
  return (
    <span className={classes.clock} title={time}>
      {time}
    </span>
  )
}
