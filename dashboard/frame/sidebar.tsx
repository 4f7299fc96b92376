import { UnstyledButton, VisuallyHidden } from '@mantine/core'
import {
  IconChecklist,
  IconClock,
  IconHome,
  IconInbox,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconMessages,
  IconPlayerPlay,
  IconPlug,
  IconSettings,
  IconWebhook,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useHasRole } from '../pages/accounts/use-me.ts'
import { usePendingCount } from '../pages/approvals/use-approvals.ts'
import { useUnread } from '../pages/channels/use-unread.ts'
import { BellIcon } from '../ui/layout/bell-icon.tsx'
import { Hint } from '../ui/layout/hint.tsx'
import classes from './sidebar.module.css'

type Props = { collapsed: boolean; onCollapse?: () => void; onOpen?: () => void }

/** `key`: opens the page after `g`. */
export const navItems = [
  { to: '/', word: 'Home', key: 'h', Icon: IconHome },
  { to: '/channels', word: 'Channels', key: 'c', Icon: IconMessages },
  { to: '/webhooks', word: 'Webhooks', key: 'w', Icon: IconWebhook, role: 'operator' },
  { to: '/schedules', word: 'Schedules', key: 's', Icon: IconClock, role: 'operator' },
  { to: '/connectors', word: 'Connectors', key: 't', Icon: IconPlug, role: 'operator' },
  { to: '/runs', word: 'Runs', key: 'r', Icon: IconPlayerPlay },
  { to: '/approvals', word: 'Approvals', key: 'a', Icon: IconChecklist },
  { to: '/events', word: 'Events', key: 'e', Icon: IconInbox, role: 'operator' },
  { to: '/settings', word: 'Settings', key: ',', Icon: IconSettings },
] as const

export function Sidebar({ collapsed, onCollapse, onOpen }: Props) {
  const operator = useHasRole('operator')
  const admin = useHasRole('admin')
  const count = usePendingCount()
  // A number is for those who can bring it to zero.
  const pending = admin ? count : null
  const { mentions, isUnread } = useUnread()
  return (
    <nav className={classes.nav} aria-label="Main" data-collapsed={collapsed || undefined}>
      {onCollapse && (
        <Link to="/" className={classes.mark} aria-label="Bellhop, home">
          <BellIcon />
          {!collapsed && <span>Bellhop</span>}
        </Link>
      )}
      <ul className={classes.places}>
        {navItems
          .filter((place) => operator || !('role' in place))
          .map(({ to, word, Icon }) => (
            <li key={to}>
              <Hint label={word} position="right" disabled={!collapsed}>
                <Link
                  to={to}
                  className={classes.place}
                  activeOptions={{ exact: to === '/' }}
                  {...(onOpen ? { onClick: onOpen } : {})}
                >
                  <Icon size="1.125rem" stroke={1.6} aria-hidden />
                  {collapsed ? <VisuallyHidden>{word}</VisuallyHidden> : <span>{word}</span>}
                  {to === '/channels' && mentions && (
                    <span className={classes.count} data-mentions>
                      {mentions}
                      <VisuallyHidden component="span"> unread mentions</VisuallyHidden>
                    </span>
                  )}
                  {to === '/channels' && !mentions && isUnread && (
                    <span className={classes.dot}>
                      <VisuallyHidden component="span"> unread messages</VisuallyHidden>
                    </span>
                  )}
                  {to === '/approvals' && pending && (
                    <span className={classes.count}>
                      {pending}
                      <VisuallyHidden component="span"> waiting</VisuallyHidden>
                    </span>
                  )}
                </Link>
              </Hint>
            </li>
          ))}
      </ul>
      {onCollapse && (
        <UnstyledButton
          className={classes.place}
          onClick={onCollapse}
          aria-label={collapsed ? 'Expand sidebar' : 'Collapse sidebar'}
        >
          {collapsed ? (
            <IconLayoutSidebarLeftExpand size="1.125rem" stroke={1.6} aria-hidden />
          ) : (
            <IconLayoutSidebarLeftCollapse size="1.125rem" stroke={1.6} aria-hidden />
          )}
          {!collapsed && <span>Collapse</span>}
        </UnstyledButton>
      )}
    </nav>
  )
}
