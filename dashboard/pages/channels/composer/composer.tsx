import { ActionIcon, Group, Text, Textarea } from '@mantine/core'
import { useLocalStorage, useThrottledCallback } from '@mantine/hooks'
import { IconSend2 } from '@tabler/icons-react'
import { memo, useDeferredValue, useRef } from 'react'
import { call } from '../../../api.ts'
import { describeError } from '../../../ui/feedback/error-alert.tsx'
import { writeDraft } from '../../../ui/forms/drafts.ts'
import { fieldError } from '../../../ui/forms/field-errors.ts'
import { useDraftText } from '../../../ui/forms/use-draft-text.ts'
import { Hint } from '../../../ui/layout/hint.tsx'
import { MessageText } from '../message-text.tsx'
import { useEditing } from '../messages/editing.ts'
import { useSendMessage } from '../messages/use-messages.ts'
import { AttachButton, Attachments } from './attachments.tsx'
import { CompletionList } from './completion-list.tsx'
import classes from './composer.module.css'
import { FormatBar, formatByKey } from './format-bar.tsx'
import { formatSelection, link } from './format-text.ts'
import { useAttachments } from './use-attachments.ts'
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
export const Composer = memo(function Composer(props: Props) {
  const { channelId, threadId, platform, autoFocus = false, lastOwnId } = props
  const draft = `message:${threadId ?? channelId}`
  const [text, setText] = useDraftText(draft)
  const send = useSendMessage(channelId, threadId)
  const box = useRef<HTMLTextAreaElement>(null)
  const { edit } = useEditing()
  const completion = useCompletion(box, text, setText)
  const attaching = useAttachments(channelId)
  const isOpen = completion.options.length > 0
  const [isPreviewed, setIsPreviewed] = useLocalStorage({ key: 'message-preview', defaultValue: false })
  // Typing does not wait for a long text to be rendered.
  const shown = useDeferredValue(text)
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
  const attach = (files: Iterable<File>) => {
    attaching.add(files)
    // Whoever attaches something writes about it, or sends it.
    box.current?.focus()
  }
  const isEmpty = text.trim() === '' && attaching.files.length === 0
  const submit = async () => {
    if (isEmpty || send.isPending || attaching.isBusy) return
    const files = attaching.take()
    // Cleared at once, so that the next message can be typed while this one is being sent.
    setText('')
    try {
      await send.mutateAsync({ text, fileIds: files.map(({ id }) => id) })
    } catch {
      attaching.putBack(files)
      setText((typed) => [text, typed].filter(Boolean).join('\n'))
      writeDraft(draft, text) // where the page was left meanwhile
    }
  }
  return (
    <form
      className={classes.composer}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        attach(event.dataTransfer.files)
      }}
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {isPreviewed && shown.trim() !== '' && (
        <section
          className={classes.preview}
          aria-label="Preview"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
        >
          <MessageText text={shown} />
        </section>
      )}
      <div className={classes.field}>
        {isOpen && (
          <CompletionList
            id={completion.listId}
            options={completion.options}
            active={completion.active}
            onPick={completion.pick}
          />
        )}
        <Attachments attaching={attaching} />
        <Textarea
          onPaste={(event) => {
            const { clipboardData, currentTarget } = event
            const pasted = clipboardData.getData('text/plain').trim()
            const isOverWords = currentTarget.selectionStart < currentTarget.selectionEnd
            if (clipboardData.files.length > 0) attaching.add(clipboardData.files)
            else if (isOverWords && /^https?:\/\/\S+$/.test(pasted))
              formatSelection(currentTarget, link(pasted))
            else return
            event.preventDefault()
          }}
          leftSection={<AttachButton onChoose={attach} />}
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
            formatByKey(event)
            if (event.key === 'ArrowUp' && text === '' && lastOwnId) {
              event.preventDefault()
              edit(lastOwnId)
            } else if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault()
              void submit()
            }
          }}
          rightSection={
            <Hint label="Send (Enter)">
              <ActionIcon
                type="submit"
                aria-label="Send"
                variant={isEmpty ? 'subtle' : 'filled'}
                color={isEmpty ? 'gray' : 'brass'}
                loading={send.isPending || attaching.isBusy}
              >
                <IconSend2 size="1rem" aria-hidden />
              </ActionIcon>
            </Hint>
          }
        />
      </div>
      <Group gap={8} mt={4} justify="space-between">
        <FormatBar box={box} isPreviewed={isPreviewed} onPreview={() => setIsPreviewed(!isPreviewed)} />
        <Text size="xs" c="dimmed" className={classes.hint}>
          {threadId || text.trim() === '' || text.includes('@')
            ? 'Enter to send, Shift+Enter for a new line'
            : 'The agent does not reply to this. Mention @bellhop to ask it.'}
        </Text>
      </Group>
    </form>
  )
})
