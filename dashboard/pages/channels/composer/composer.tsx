import { ActionIcon, Text, Textarea, Tooltip } from '@mantine/core'
import { useThrottledCallback } from '@mantine/hooks'
import { IconSend2 } from '@tabler/icons-react'
import { useRef } from 'react'
import { call } from '../../../api.ts'
import { describeError } from '../../../ui/feedback/error-alert.tsx'
import { writeDraft } from '../../../ui/forms/drafts.ts'
import { fieldError } from '../../../ui/forms/field-errors.ts'
import { useDraftText } from '../../../ui/forms/use-draft-text.ts'
import { useEditing } from '../messages/editing.ts'
import { useSendMessage } from '../messages/use-messages.ts'
import { CompletionList } from './completion-list.tsx'
import classes from './composer.module.css'
import { useCompletion } from './use-completion.ts'

type Props = {
  channelId: string
  threadId: string | null
  platform: string
  autoFocus?: boolean
  /** The reader's latest message here, which the up arrow changes. */
  lastOwnId: string | null
}

/** Keeps what is typed until it is sent, even if sending fails or the page is left. */
export function Composer({ channelId, threadId, platform, autoFocus = false, lastOwnId }: Props) {
  const draft = `message:${threadId ?? channelId}`
  const [text, setText] = useDraftText(draft)
  const send = useSendMessage(channelId, threadId)
  const box = useRef<HTMLTextAreaElement>(null)
  const { edit } = useEditing()
  const completion = useCompletion(box, text, setText)
  const isOpen = completion.options.length > 0
  const sendTyping = useThrottledCallback(() => {
    // It does not matter if this is lost.
    void call<void>('POST', `/channels/${channelId}/typing`, threadId ? { threadId } : {}).catch(
      () => undefined,
    )
  }, 3000)

  if (platform !== 'built-in') {
    return (
      <Text className={classes.composer} size="xs" c="dimmed">
        This channel belongs to another workspace. Write there to talk to the agent.
      </Text>
    )
  }
  const submit = async () => {
    if (text.trim() === '' || send.isPending) return
    // Cleared at once, so that the next message can be typed while this one is being sent.
    setText('')
    try {
      await send.mutateAsync(text)
    } catch {
      setText((typed) => [text, typed].filter(Boolean).join('\n'))
      writeDraft(draft, text) // where the page was left meanwhile
    }
  }
  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <div className={classes.field}>
        {isOpen && (
          <CompletionList
            id={completion.listId}
            options={completion.options}
            active={completion.active}
            onPick={completion.pick}
          />
        )}
        <Textarea
          ref={box}
          aria-autocomplete="list"
          {...(isOpen
            ? {
                'aria-controls': completion.listId,
                'aria-activedescendant': `${completion.listId}-${completion.active}`,
              }
            : {})}
          onBlur={completion.close}
          aria-label={threadId ? 'Reply in thread' : 'Message'}
          placeholder={threadId ? 'Reply in thread' : 'Message, or @bellhop to ask the agent'}
          autoFocus={autoFocus}
          autosize
          minRows={1}
          maxRows={10}
          value={text}
          error={send.error ? (fieldError(send.error, 'text') ?? describeError(send.error).detail) : null}
          onChange={(event) => {
            const { value, selectionStart } = event.currentTarget
            setText(completion.onType(value, selectionStart))
            sendTyping()
          }}
          onKeyDown={(event) => {
            if (completion.onKey(event)) return
            if (event.key === 'ArrowUp' && text === '' && lastOwnId) {
              event.preventDefault()
              edit(lastOwnId)
            } else if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault()
              void submit()
            }
          }}
          rightSection={
            <Tooltip label="Send (Enter)">
              <ActionIcon
                type="submit"
                aria-label="Send"
                variant={text.trim() === '' ? 'subtle' : 'filled'}
                color={text.trim() === '' ? 'gray' : 'brass'}
                loading={send.isPending}
              >
                <IconSend2 size="1rem" aria-hidden />
              </ActionIcon>
            </Tooltip>
          }
        />
      </div>
      <Text size="xs" c="dimmed" mt={4} className={classes.hint}>
        {threadId || text.trim() === '' || text.includes('@')
          ? 'Enter to send, Shift+Enter for a new line. Markdown is supported.'
          : 'The agent does not reply to this. Mention @bellhop to ask it.'}
      </Text>
    </form>
  )
}
