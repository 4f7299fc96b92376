import { ActionIcon, VisuallyHidden } from '@mantine/core'
import { useDisclosure, useLocalStorage } from '@mantine/hooks'
import { IconMenu2 } from '@tabler/icons-react'
import { Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useOnDemand } from '../hooks/use-on-demand.ts'
import { useNotifiedMention } from '../pages/channels/use-notified-mention.ts'
import { useUnread } from '../pages/channels/use-unread.ts'
import { Announced } from '../ui/feedback/announce.tsx'
import { Hint } from '../ui/layout/hint.tsx'
import { actionPlace, PageSlots } from '../ui/layout/page.tsx'
import { followFocus } from '../ui/layout/restore-focus.ts'
import { Confirmations } from './confirmations.tsx'
import classes from './frame.module.css'
import { DisconnectedMark } from './marks/disconnected-mark.tsx'
import { ModelMark } from './marks/model-mark.tsx'
import { PausedMark } from './marks/paused-mark.tsx'
import { NavigationProgress } from './navigation-progress.tsx'
import { Palette } from './palette/palette.tsx'
import { PersonMenu } from './person-menu.tsx'
import { Sidebar } from './sidebar.tsx'
import { useAnnouncedApprovals } from './use-announced-approvals.ts'
import { useGoKeys } from './use-go-keys.ts'
import { useLiveChanges } from './use-live-changes.ts'

const content = () => document.getElementById('content')

/** The frame around every page: the sidebar, the top bar, the palette, questions. */
export function Frame() {
  const [collapsed, setCollapsed] = useLocalStorage({
    key: 'sidebar-collapsed',
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  const [drawer, { open, close }] = useDisclosure(false)
  const [MenuDrawer, wantDrawer] = useOnDemand(() => import('./menu-drawer.tsx'))
  const openDrawer = () => {
    wantDrawer()
    open()
  }
  const [title, setTitle] = useState<HTMLElement | null>(null)
  const [action, setAction] = useState<HTMLElement | null>(null)
  const { pathname } = useLocation()
  const away = useLiveChanges()
  useAnnouncedApprovals()
  useNotifiedMention()
  useGoKeys()
  const { mentions } = useUnread()
  const shown = useRef(pathname)
  useEffect(() => {
    // The first page leaves the focus at the top, where Tab finds the link that skips the menu.
    if (shown.current === pathname) return
    shown.current = pathname
    // The link that led here is gone with its page, so the focus moves to the start of the new one.
    if (document.activeElement === document.body) content()?.focus({ preventScroll: true })
  }, [pathname])
  useEffect(() => followFocus(content), [])
  return (
    <div className={classes.frame} data-collapsed={collapsed || undefined}>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <aside className={classes.sidebar}>
        <Sidebar collapsed={collapsed} onCollapse={() => setCollapsed(!collapsed)} />
      </aside>
      {MenuDrawer && <MenuDrawer opened={drawer} onClose={close} />}
      <div className={classes.column}>
        <header className={classes.bar}>
          <Hint label="Menu">
            <ActionIcon className={classes.burger} onClick={openDrawer}>
              <IconMenu2 size="1.125rem" aria-hidden />
              {mentions && <span className={classes.mentions}>{mentions}</span>}
              <VisuallyHidden component="span">
                {mentions ? ' unread mentions, open menu' : 'Open menu'}
              </VisuallyHidden>
            </ActionIcon>
          </Hint>
          <div className={classes.title} ref={setTitle} />
          <div id={actionPlace} className={classes.action} ref={setAction} />
          <div className={classes.marks}>
            <DisconnectedMark away={away} />
            <PausedMark />
            <ModelMark />
          </div>
          <Palette />
          <PersonMenu />
          <NavigationProgress />
        </header>
        <main id="content" className={classes.content} tabIndex={-1}>
          <PageSlots value={{ title, action, news: mentions }}>
            <Outlet />
          </PageSlots>
        </main>
      </div>
      <Confirmations />
      <Announced />
    </div>
  )
}
