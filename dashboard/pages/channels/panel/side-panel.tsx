import { ActionIcon, SegmentedControl, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './thread-panel.module.css'

type Tab = 'thread' | 'about'
type Props = {
  tab: Tab
  /** Null if there is no thread to change to. */
  onTab: ((tab: Tab) => void) | null
  onClose: () => void
  children: ReactNode
}

const names = { thread: 'Thread', about: 'About' } as const

/** Beside the conversation: one of its threads, or what the channel is. */
export function SidePanel({ tab, onTab, onClose, children }: Props) {
  return (
    <aside
      className={classes.panel}
      aria-label={names[tab]}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.nativeEvent.isComposing) onClose()
      }}
    >
      <div className={classes.head}>
        {onTab ? (
          <SegmentedControl
            size="xs"
            aria-label="Panel"
            value={tab}
            onChange={(value) => onTab(value === 'about' ? 'about' : 'thread')}
            data={[
              { value: 'thread', label: names.thread },
              { value: 'about', label: names.about },
            ]}
          />
        ) : (
          <Text fw={600}>{names[tab]}</Text>
        )}
        <ActionIcon aria-label={tab === 'thread' ? 'Close thread' : 'Close'} onClick={onClose}>
          <IconX size="1rem" aria-hidden />
        </ActionIcon>
      </div>
      {children}
    </aside>
  )
}
