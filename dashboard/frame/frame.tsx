import { ActionIcon, Drawer, Tooltip } from '@mantine/core'
import { useDisclosure, useHotkeys, useLocalStorage } from '@mantine/hooks'
import { spotlight } from '@mantine/spotlight'
import { IconMenu2 } from '@tabler/icons-react'
import { Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { BellMark } from '../ui/bell-mark.tsx'
import { followFocus } from '../ui/give-focus-back.ts'
import { PageSlots } from '../ui/page.tsx'
import { CommandPalette, PaletteButton } from './command-palette.tsx'
import classes from './frame.module.css'
import { PausedMark } from './paused-mark.tsx'
import { PersonMenu } from './person-menu.tsx'
import { Sidebar } from './sidebar.tsx'
import { useLiveChanges } from './use-live-changes.ts'

/** What stands around every page: the sidebar, the top bar, the palette. */
export function Frame() {
  const [collapsed, setCollapsed] = useLocalStorage({
    key: 'sidebar-collapsed',
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  const [drawer, { open, close }] = useDisclosure(false)
  const [title, setTitle] = useState<HTMLElement | null>(null)
  const [action, setAction] = useState<HTMLElement | null>(null)
  const { pathname } = useLocation()
  useLiveChanges()
  // biome-ignore lint/correctness/useExhaustiveDependencies: exactly when another page is shown
  useEffect(() => {
    // The link that led here is gone with its page; the keyboard goes on where the new one begins.
    if (document.activeElement === document.body)
      document.getElementById('content')?.focus({ preventScroll: true })
  }, [pathname])
  useEffect(followFocus, [])
  useHotkeys([
    [
      '/',
      () => {
        // A page marks the field that finds or filters its things; without one, the palette finds anything.
        const field = document.querySelector<HTMLElement>('[data-slash] input, input[data-slash]')
        if (field) field.focus()
        else spotlight.open()
      },
    ],
  ])
  return (
    <div className={classes.frame} data-collapsed={collapsed || undefined}>
      <a className="skip" href="#content">
        Skip to the page
      </a>
      <aside className={classes.sidebar}>
        <Sidebar collapsed={collapsed} onCollapse={() => setCollapsed(!collapsed)} />
      </aside>
      <Drawer
        opened={drawer}
        onClose={close}
        size={240}
        title={
          <span className={classes.mark}>
            <BellMark />
            Bellhop
          </span>
        }
        transitionProps={{ duration: 120 }}
        closeButtonProps={{ 'aria-label': 'Close the menu' }}
      >
        <Sidebar collapsed={false} onOpen={close} />
      </Drawer>
      <div className={classes.column}>
        <header className={classes.bar}>
          <Tooltip label="Menu">
            <ActionIcon
              className={classes.burger}
              variant="subtle"
              color="gray"
              aria-label="Open the menu"
              onClick={open}
            >
              <IconMenu2 size={18} />
            </ActionIcon>
          </Tooltip>
          <div className={classes.title} ref={setTitle} />
          <div className={classes.action} ref={setAction} />
          <PausedMark />
          <PaletteButton />
          <PersonMenu />
        </header>
        <main id="content" className={classes.content} tabIndex={-1}>
          <PageSlots value={{ title, action }}>
            <Outlet />
          </PageSlots>
        </main>
      </div>
      <CommandPalette />
    </div>
  )
}
