import { Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Fragment, type ReactNode, useState } from 'react'
import { call } from '../../../api.ts'
import type { User } from '../../../contract.ts'
import { useList } from '../../../hooks/use-api.ts'
import { useBulk } from '../../../hooks/use-bulk.ts'
import { useFilter } from '../../../hooks/use-filter.ts'
import { useStillOnPage } from '../../../hooks/use-still-on-page.ts'
import { useTabState } from '../../../hooks/use-tab-state.ts'
import { EmptyList } from '../../../ui/feedback/empty-list.tsx'
import { notify } from '../../../ui/feedback/notify.ts'
import { StatusBadge } from '../../../ui/feedback/status-badge.tsx'
import { BulkButton } from '../../../ui/table/bulk-button.tsx'
import { type Column, DataTable } from '../../../ui/table/data-table.tsx'
import { ListView } from '../../../ui/table/list-view.tsx'
import { SearchField } from '../../../ui/table/search-field.tsx'
import { OneTimeValue } from '../../../ui/text/one-time-value.tsx'
import { plural } from '../../../ui/text/plural.ts'
import { RelativeTime } from '../../../ui/text/relative-time.tsx'
import { useMe } from '../../accounts/use-me.ts'
import { InviteUser } from './invite-user.tsx'
import { UserMenu } from './user-menu.tsx'
import { UserRole } from './user-role.tsx'
import { UserSessions } from './user-sessions.tsx'

const tones = { invited: 'waiting', active: 'good', disabled: 'idle' } as const

const madeLink = ['made-link']

export function Users() {
  const [q, setQ] = useFilter('q')
  const users = useList<User>('/users', { q })
  const [watched, setWatched] = useState<User | null>(null)
  const queries = useQueryClient()
  const isStillOnPage = useStillOnPage()
  // Kept for somebody who leaves the page before the answer comes: it is the only copy.
  const link = useTabState<string | null>(madeLink, null)
  const setLink = (url: string | null) => queries.setQueryData(madeLink, url)
  const showLink = (url: string) => {
    setLink(url)
    if (!isStillOnPage()) notify('Link created. Open Settings → Users to copy it.')
  }
  return (
    <Stack>
      <InviteUser onInvited={showLink} />
      <SearchField label="Search users" value={q} onChange={setQ} />
      <ListView
        query={users}
        empty={
          <EmptyList
            what="users"
            to="/settings/users"
            filtered={q !== undefined}
            searched="Search covers names and email addresses. You can invite people above."
            purpose="No users yet"
          />
        }
      >
        {(items) => (
          <DataTable
            label="Users"
            rows={items}
            columns={columnsWith((user) => (
              <UserMenu user={user} onLink={showLink} onSessions={() => setWatched(user)} />
            ))}
            rowName={({ name }) => name}
            bulk={(rows, clear) => <BulkActions users={rows} onDone={clear} />}
          />
        )}
      </ListView>
      <OneTimeValue
        title="Share this link"
        text="It works once and opens the page to set a password. Bellhop doesn't send email, so share it yourself."
        what="link"
        value={link}
        onClose={() => setLink(null)}
      />
      <UserSessions user={watched} onClose={() => setWatched(null)} />
    </Stack>
  )
}

function columnsWith(menuOf: (user: User) => ReactNode): Column<User>[] {
  return [
    { name: 'Name', grow: true, sort: ({ name }) => name, cell: (user) => user.name },
    {
      name: 'State',
      narrow: 'below',
      sort: ({ status }) => status,
      cell: ({ status }) => <StatusBadge tone={tones[status]} word={status} />,
    },
    {
      name: 'Email',
      grow: true,
      narrow: 'below',
      sort: ({ email }) => email,
      cell: ({ email }) => <Email address={email} />,
    },
    { name: 'Role', sort: ({ role }) => role, cell: (user) => <UserRole user={user} /> },
    {
      name: 'Last seen',
      narrow: 'wide-only',
      sort: ({ lastSeenAt }) => lastSeenAt,
      cell: (user) => <RelativeTime at={user.lastSeenAt} />,
    },
    { name: 'Actions', quiet: true, cell: menuOf },
  ]
}

/** Where there is little room, it continues after a dot or before the `@` rather than within a word. */
function Email({ address }: { address: string }) {
  return (
    <span title={address}>
      {address.split(/(?<=\.)|(?=@)/).map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part has no identity but its place
        <Fragment key={at}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </span>
  )
}

function BulkActions({ users, onDone }: { users: User[]; onDone: () => void }) {
  const me = useMe()
  // Nobody locks themselves out.
  const enabled = users.filter(({ id, status }) => id !== me.id && status !== 'disabled')
  const options = { what: 'user', changes: ['/users'] }
  const set =
    (disabled: boolean) =>
    ({ id }: User) =>
      call('PATCH', `/users/${id}`, { disabled })
  const disable = useBulk(set(true), { done: 'Disabled', ...options })
  const enable = useBulk(set(false), { done: 'Enabled', ...options })
  return (
    <>
      <BulkButton
        verb="Disable"
        rows={enabled}
        action={disable}
        onDone={onDone}
        ask={{
          question: `Disable ${plural(enabled.length, 'user')}?`,
          text: 'They are signed out immediately and cannot sign in until an admin enables them again. API keys they created still work.',
        }}
      />
      <BulkButton
        verb="Enable"
        rows={users.filter(({ status }) => status === 'disabled')}
        action={enable}
        onDone={onDone}
      />
    </>
  )
}
