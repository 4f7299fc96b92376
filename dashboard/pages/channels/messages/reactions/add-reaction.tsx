import { Popover, UnstyledButton } from '@mantine/core'
import { IconMoodPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { Message } from '../../../../contract.ts'
import { useOnDemand } from '../../../../hooks/use-on-demand.ts'
import { useReact } from './use-react.ts'

type Props = { message: Message; className: string | undefined }

export function AddReaction({ message, className }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  const [EmojiPicker, wantPicker] = useOnDemand(() => import('./emoji-picker.tsx'))
  const react = useReact(message)
  return (
    <Popover
      opened={isOpen && EmojiPicker !== null}
      onChange={setIsOpen}
      position="bottom-end"
      trapFocus
      returnFocus
      shadow="none"
    >
      <Popover.Target>
        <UnstyledButton
          className={className}
          aria-label="Add reaction"
          title="Add reaction"
          onClick={() => {
            wantPicker(() => setIsOpen(false))
            setIsOpen(!isOpen)
          }}
        >
          <IconMoodPlus size="1rem" stroke={1.5} aria-hidden />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown
        p="xs"
        onKeyDown={(event) => {
          // Not also closing the thread around it.
          if (event.key === 'Escape') event.stopPropagation()
        }}
      >
        {EmojiPicker && (
          <EmojiPicker
            onPick={(name) => {
              setIsOpen(false)
              react.mutate({ name, isAdded: true })
            }}
          />
        )}
      </Popover.Dropdown>
    </Popover>
  )
}
