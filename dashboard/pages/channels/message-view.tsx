import { Avatar, Text, UnstyledButton } from '@mantine/core'
import { IconMessage, IconPlayerPlay } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Message } from '../../contract.ts'
import { BellIcon } from '../../ui/bell-icon.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { MessageCard } from './message-card.tsx'
import classes from './message-view.module.css'

type Props = {
  message: Message
  replies?: Message[]
  marked?: boolean
  /** Where a link to it leads, if it is shown more than once. */
  anchor?: boolean
  /** What somebody is doing right now in its thread. */
  note?: string | null
  onThread?: () => void
}

export function MessageView(props: Props) {
  const { message, replies = [], marked = false, anchor = false, note = null, onThread } = props
  const { author } = message
  const last = replies.at(-1)
  return (
    <article
      className={classes.message}
      {...(anchor ? { id: message.id } : {})}
      data-marked={marked || undefined}
    >
      <div aria-hidden>
        {author.kind === 'user' ? (
          <Avatar size={32} name={author.name} color="gray" c="inherit" />
        ) : (
          <span className={classes.bell}>
            <BellIcon size="1.25rem" />
          </span>
        )}
      </div>
      <div className={classes.body}>
        <div className={classes.head}>
          <Text span fw={600}>
            {author.name}
          </Text>
          {author.kind !== 'user' && <span className={classes.kind}>{author.kind}</span>}
          <Text span size="xs" c="dimmed">
            <RelativeTime at={message.createdAt} />
            {message.editedAt ? ' · edited' : ''}
            {message.delivery === 'failed' ? ' · not delivered' : ''}
            {message.delivery === 'ambiguous' ? ' · delivery uncertain' : ''}
          </Text>
          <span className={classes.tools}>
            {onThread && !last && (
              <UnstyledButton className={classes.reply} onClick={onThread}>
                <IconMessage size="0.875rem" aria-hidden />
                Reply
              </UnstyledButton>
            )}
            {message.runId && (
              <Link to={`/runs/${message.runId}`} className={classes.reply}>
                <IconPlayerPlay size="0.875rem" aria-hidden />
                Run
              </Link>
            )}
            <CopyButton value={message.permalink} what="link to this message" />
          </span>
        </div>
        {/* The card contains everything; its text is for platforms without cards. */}
        {message.text !== message.card?.title && <Markdown text={message.text} />}
        {message.card && <MessageCard message={message} card={message.card} />}
        {last && (
          <div className={classes.last}>
            {replies.length > 1 && (
              <Text size="xs" c="dimmed" mb={4}>
                {replies.length - 1} earlier {replies.length === 2 ? 'reply' : 'replies'}
              </Text>
            )}
            <MessageView message={last} />
          </div>
        )}
        {note && (
          <Text size="xs" c="dimmed" mt={4} aria-live="polite">
            {note}
          </Text>
        )}
        {onThread && last && (
          <UnstyledButton className={classes.thread} onClick={onThread}>
            <IconMessage size="0.875rem" aria-hidden />
            Open thread
          </UnstyledButton>
        )}
      </div>
    </article>
  )
}
