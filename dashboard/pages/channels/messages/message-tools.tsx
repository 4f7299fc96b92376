import { UnstyledButton } from '@mantine/core'
import { IconMessage, IconPencil, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { call } from '../../../api.ts'
import type { Message } from '../../../contract.ts'
import { useAction } from '../../../hooks/use-action.ts'
import { askToConfirm } from '../../../ui/feedback/ask-to-confirm.ts'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { useMe } from '../../accounts/use-me.ts'
import { Thumbs } from '../../runs/thumbs.tsx'
import { useEditing } from './editing.ts'
import { isOwn } from './is-own.ts'
import classes from './message-view.module.css'
import { AddReaction } from './reactions/add-reaction.tsx'

type Props = { message: Message; onReply?: (() => void) | undefined; editable: boolean }

/** What can be done with a message, where the pointer or the focus is. */
export function MessageTools({ message, onReply, editable }: Props) {
  const me = useMe()
  const { edit, isBuiltIn } = useEditing()
  const remove = useAction(() => call<void>('DELETE', `/messages/${message.id}`), {
    words: 'Message deleted',
  })
  const isMine = editable && isBuiltIn && isOwn(message, me.id)
  return (
    <span className={classes.tools}>
      {message.thumbs && message.runId && (
        <Thumbs runId={message.runId} thumbs={message.thumbs} eventId={message.origin?.eventId} />
      )}
      {isBuiltIn && message.deletedAt === null && <AddReaction message={message} className={classes.reply} />}
      {onReply && (
        <UnstyledButton className={classes.reply} aria-label="Reply" onClick={onReply}>
          <IconMessage size="0.875rem" aria-hidden />
          <span className={classes.words}>Reply</span>
        </UnstyledButton>
      )}
      {message.runId && (
        <Link to={`/runs/${message.runId}`} className={classes.reply} aria-label="Run">
          <IconPlayerPlay size="0.875rem" aria-hidden />
          <span className={classes.words}>Run</span>
        </Link>
      )}
      {isMine && (
        <UnstyledButton
          className={classes.reply}
          aria-label="Edit message"
          title="Edit message"
          onClick={() => edit(message.id)}
        >
          <IconPencil size="0.875rem" aria-hidden />
        </UnstyledButton>
      )}
      {isMine && (
        <UnstyledButton
          className={classes.reply}
          aria-label="Delete message"
          title="Delete message"
          onClick={() =>
            askToConfirm({
              title: 'Delete this message?',
              text: 'The text is deleted for everybody. Replies in its thread stay, and so does what the agent has already read.',
              action: 'Delete message',
              onConfirm: () => remove.mutate(),
            })
          }
        >
          <IconTrash size="0.875rem" aria-hidden />
        </UnstyledButton>
      )}
      <CopyButton value={message.permalink} what="link to this message" />
    </span>
  )
}
