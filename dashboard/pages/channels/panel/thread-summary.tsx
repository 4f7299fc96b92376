import { Avatar, Group } from '@mantine/core'
import type { Message } from '../../../contract.ts'
import { BellIcon } from '../../../ui/layout/bell-icon.tsx'
import { InitialAvatar } from '../../../ui/logos/initial-avatar.tsx'
import { plural } from '../../../ui/text/plural.ts'
import { RelativeTime } from '../../../ui/text/relative-time.tsx'

const most = 3

/** Who wrote in a thread, how much, and when last. `isPart`: older replies are not loaded. */
export function ThreadSummary({ replies, isPart = false }: { replies: Message[]; isPart?: boolean }) {
  const authors = new Map(replies.map(({ author }) => [author.id ?? `${author.kind} ${author.name}`, author]))
  return (
    <Group component="span" gap={6} wrap="nowrap">
      <Avatar.Group spacing={6} aria-hidden>
        {[...authors].slice(0, most).map(([key, { kind, name }]) =>
          kind === 'user' ? (
            <InitialAvatar key={key} name={name} title={name} />
          ) : (
            <Avatar key={key} size={20} title={name}>
              <BellIcon size="0.75rem" />
            </Avatar>
          ),
        )}
      </Avatar.Group>
      <span>
        {isPart ? `${replies.length}+ replies` : plural(replies.length, 'reply', 'replies')} · last reply{' '}
        <RelativeTime at={replies.at(-1)?.createdAt} />
      </span>
    </Group>
  )
}
