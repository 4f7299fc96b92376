import { ActionIcon, Text, Textarea, Tooltip } from '@mantine/core'
import { useThrottledCallback } from '@mantine/hooks'
import { IconSend2 } from '@tabler/icons-react'
import { call } from '../../api.ts'
import { describeError } from '../../ui/feedback/error-alert.tsx'
import { writeDraft } from '../../ui/forms/drafts.ts'
import { fieldError } from '../../ui/forms/field-errors.ts'
import { useDraftText } from '../../ui/forms/use-draft-text.ts'
import classes from './composer.module.css'
import { useSendMessage } from './messages/use-messages.ts'

type Props = { channelId: string; threadId: string | null; platform: string; autoFocus?: boolean }

/** Keeps what is typed until it is sent, even if sending fails or the page is left. */
export function Composer({ channelId, threadId, platform, autoFocus = false }: Props) {
  const draft = `message:${threadId ?? channelId}`
  const [text, setText] = useDraftText(draft)
  const send = useSendMessage(channelId, threadId)
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
      <Textarea
        aria-label={threadId ? 'Reply in thread' : 'Message'}
        placeholder={threadId ? 'Reply in thread' : 'Message, or @bellhop to ask the agent'}
        autoFocus={autoFocus}
        autosize
        minRows={1}
        maxRows={10}
        value={text}
        error={send.error ? (fieldError(send.error, 'text') ?? describeError(send.error).detail) : null}
        onChange={(event) => {
          setText(event.currentTarget.value)
          sendTyping()
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
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
      <Text size="xs" c="dimmed" mt={4} className={classes.hint}>
        {threadId || text.trim() === '' || text.includes('@')
          ? 'Enter to send, Shift+Enter for a new line. Markdown is supported.'
          : 'The agent does not reply to this. Mention @bellhop to ask it.'}
      </Text>
    </form>
  )
}
