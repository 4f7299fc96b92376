import { Button, Stack, Text } from '@mantine/core'
import { call } from '../../../api.ts'
import type { Session } from '../../../contract.ts'
import { useAction } from '../../../hooks/use-action.ts'
import { useList } from '../../../hooks/use-api.ts'
import { StatusBadge } from '../../../ui/feedback/status-badge.tsx'
import { type Column, DataTable } from '../../../ui/table/data-table.tsx'
import { ListView } from '../../../ui/table/list-view.tsx'
import { RelativeTime } from '../../../ui/text/relative-time.tsx'
import { useSignOut } from '../../accounts/use-me.ts'

export function Sessions() {
  const sessions = useList<Session>('/sessions')
  return (
    <Stack>
      <Text c="dimmed">
        Where you are signed in. End any session you do not recognize, then change your password.
      </Text>
      <ListView query={sessions} empty={null}>
        {(items) => <DataTable label="Your sessions" rows={items} columns={sessionColumns} />}
      </ListView>
    </Stack>
  )
}

export const sessionColumns: Column<Session>[] = [
  { name: 'Browser', grow: true, cell: (session) => browserOf(session.userAgent) },
  {
    name: 'State',
    cell: ({ current }) =>
      current ? <StatusBadge tone="good" word="this session" /> : <StatusBadge tone="idle" word="other" />,
  },
  { name: 'Last used', narrow: 'below', cell: (session) => <RelativeTime at={session.lastUsedAt} /> },
  { name: 'From', narrow: 'below', cell: (session) => session.source },
  { name: 'Signed in', narrow: 'wide-only', cell: (session) => <RelativeTime at={session.createdAt} /> },
  { name: 'End', quiet: true, cell: (session) => <End session={session} /> },
]

// Browsers and systems also name their predecessors, so the first match here counts.
const browsers = { 'Edg/': 'Edge', 'Firefox/': 'Firefox', 'Chrome/': 'Chrome', 'Safari/': 'Safari' }
const systems = ['Windows', 'Android', 'iPhone', 'Mac OS X', 'Linux']

/** The part of a user agent that people know. */
function browserOf(userAgent: string | null): string {
  if (!userAgent) return 'Unknown'
  const browser = Object.entries(browsers).find(([mark]) => userAgent.includes(mark))?.[1]
  const system = systems.find((name) => userAgent.includes(name))
  return browser && system ? `${browser} on ${system}` : userAgent.slice(0, 60)
}

function End({ session }: { session: Session }) {
  const signOut = useSignOut()
  const end = useAction(
    () => (session.current ? signOut() : call<void>('DELETE', `/sessions/${session.id}`)),
    {
      words: 'Session ended',
      changes: ['/sessions'],
    },
  )
  return (
    <Button size="compact-xs" variant="default" loading={end.isPending} onClick={() => end.mutate()}>
      {session.current ? 'Sign out' : 'End'}
    </Button>
  )
}
