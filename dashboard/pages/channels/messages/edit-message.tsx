import { Button, Group, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useLayoutEffect, useRef, useState } from 'react'
import { call } from '../../../api.ts'
import type { Message } from '../../../contract.ts'
import { describeError } from '../../../ui/feedback/error-alert.tsx'
import { fieldError } from '../../../ui/forms/field-errors.ts'
import { formatByKey } from '../composer/format-bar.tsx'
import { useEditing } from './editing.ts'
import { usePutMessage } from './use-messages.ts'

/** In the place of the text, until it is saved or left. */
export function EditMessage({ message }: { message: Message }) {
  const [text, setText] = useState(message.text)
  const { edit } = useEditing()
  const form = useRef<HTMLFormElement>(null)
  // Where somebody came from, as from the composer with the arrow key, and goes on afterwards.
  const [opener] = useState(() => document.activeElement)
  useLayoutEffect(
    () => () => {
      const hadFocus = form.current?.contains(document.activeElement)
      if (hadFocus && opener instanceof HTMLElement) opener.focus()
    },
    [opener],
  )
  const put = usePutMessage(message.channelId)
  const save = useMutation({
    mutationFn: () => call<Message>('PATCH', `/messages/${message.id}`, { text }),
    onSuccess: (saved) => {
      put(saved, false)
      edit(null)
    },
  })
  const submit = () => {
    if (text === message.text) edit(null)
    else if (text.trim() !== '' && !save.isPending) save.mutate()
  }
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Textarea
        aria-label="Edit message"
        autosize
        maxRows={12}
        autoFocus
        // Behind the text, where somebody goes on writing.
        onFocus={({ currentTarget: box }) => box.setSelectionRange(box.value.length, box.value.length)}
        value={text}
        error={save.error ? (fieldError(save.error, 'text') ?? describeError(save.error).detail) : null}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          formatByKey(event)
          if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault()
            submit()
          } else if (event.key === 'Escape') {
            // Not also closing the thread around it.
            event.stopPropagation()
            edit(null)
          }
        }}
      />
      <Group gap={8} mt={4}>
        <Button size="compact-xs" type="submit" loading={save.isPending}>
          Save
        </Button>
        <Button size="compact-xs" variant="default" onClick={() => edit(null)}>
          Cancel
        </Button>
        <Text size="xs" c="dimmed">
          The agent does not answer an edit.
        </Text>
      </Group>
    </form>
  )
}
