import { ActionIcon, Button, Kbd } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { createSpotlight } from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useOnDemand } from '../../hooks/use-on-demand.ts'
import { Hint } from '../../ui/layout/hint.tsx'
import { captureTyping } from './capture-typing.ts'
import classes from './palette.module.css'

const [store, spotlight] = createSpotlight()

const shortcut = navigator.platform.startsWith('Mac') ? '⌘ K' : 'Ctrl K'

/** Opens the command palette, which is loaded on first use. */
export function Palette() {
  const [CommandPalette, wantPalette] = useOnDemand(() => import('./command-palette.tsx'))
  // Keeps what is typed between the shortcut and the moment the field has the focus.
  const typing = useRef<(() => string) | null>(null)
  const isOpen = useRef(false)
  const endTyping = () => {
    const typed = typing.current?.() ?? ''
    typing.current = null
    return typed
  }
  const closed = () => {
    isOpen.current = false
    endTyping()
  }
  const open = () => {
    if (!isOpen.current) typing.current = captureTyping()
    isOpen.current = true
    wantPalette(() => {
      spotlight.close()
      closed()
    })
    spotlight.open()
  }
  useEffect(() => () => void typing.current?.(), [])
  // From anywhere, even while typing in a field.
  useHotkeys([['mod+K', open]], [], true)
  const search = () => {
    // A page marks its search or filter field; without one, the palette opens.
    const field = document.querySelector<HTMLElement>('[data-slash] input, input[data-slash]')
    if (field) field.focus()
    else open()
  }
  const [Shortcuts, wantShortcuts] = useOnDemand(() => import('./shortcuts.tsx'))
  const [areShown, showShortcuts] = useState(false)
  const openShortcuts = () => {
    wantShortcuts()
    showShortcuts(true)
  }
  // Many keyboards have it on a key with Shift.
  useHotkeys([
    ['/', search],
    ['shift+/', search],
    ['shift+?', openShortcuts],
  ])
  return (
    <>
      <Button
        className={classes.wide}
        variant="default"
        size="xs"
        fw={400}
        c="dimmed"
        leftSection={<IconSearch size="0.9375rem" aria-hidden />}
        rightSection={<Kbd size="xs">{shortcut}</Kbd>}
        onClick={open}
      >
        Search
      </Button>
      <Hint label="Search">
        <ActionIcon className={classes.small} aria-label="Search" onClick={open}>
          <IconSearch size="1.125rem" aria-hidden />
        </ActionIcon>
      </Hint>
      {CommandPalette && (
        <CommandPalette store={store} endTyping={endTyping} onClosed={closed} onShortcuts={openShortcuts} />
      )}
      {Shortcuts && areShown && <Shortcuts onClose={() => showShortcuts(false)} />}
    </>
  )
}
