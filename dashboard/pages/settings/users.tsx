import { Group, Menu, Select, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api.ts'
import type { Role, User } from '../../contract.ts'
import { askFirst } from '../../ui/ask-first.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListView } from '../../ui/list-view.tsx'
import { MoreMenu } from '../../ui/more-menu.tsx'
import { OneTimeValue } from '../../ui/one-time-value.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { sayProblem } from '../../ui/say.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useList } from '../../use-api.ts'
import { useDeed } from '../../use-deed.ts'
import { useFilter } from '../../use-filter.ts'
import { useUndoable } from '../../use-undoable.ts'
import { useMe } from '../accounts/use-me.ts'
import { InviteUser } from './invite-user.tsx'
import { roleOptions } from './roles.ts'
import { UserSessions } from './user-sessions.tsx'

const tones = { invited: 'waiting', active: 'good', disabled: 'idle' } as const

export function Users() {
  const [q, setQ] = useFilter('q')
  const users = useList<User>('/users', { q })
  const [watched, setWatched] = useState<User | null>(null)
  const [link, setLink] = useState<string | null>(null)
  return (
    <Stack>
      <InviteUser onInvited={setLink} />
      <SearchField label="Search users" value={q} onChange={setQ} />
      <ListView
        query={users}
        empty={
          <Empty
            purpose="Nobody has these words in the name or e-mail address."
            example="Invite them above."
          />
        }
      >
        {(items) => (
          <DataTable
            label="Users"
            rows={items}
            columns={columnsWith({ onLink: setLink, onSessions: setWatched })}
          />
        )}
      </ListView>
      <OneTimeValue
        title="Send this link"
        text="It works once and leads to the page where the password is chosen. Bellhop sends no mail; send it yourself."
        what="link"
        value={link}
        onClose={() => setLink(null)}
      />
      <UserSessions user={watched} onClose={() => setWatched(null)} />
    </Stack>
  )
}

type Opens = { onLink: (url: string) => void; onSessions: (user: User) => void }

function columnsWith(opens: Opens): Column<User>[] {
  return [
    { name: 'Name', grow: true, cell: (user) => user.name },
    { name: 'E-mail', narrow: 'hide', cell: (user) => user.email },
    {
      name: 'State',
      narrow: 'hide',
      cell: ({ status }) => <StatusBadge tone={tones[status]} word={status} />,
    },
    { name: 'Role', cell: (user) => <RoleOf user={user} /> },
    { name: 'Last seen', narrow: 'wide-only', cell: (user) => <RelativeTime at={user.lastSeenAt} /> },
    { name: 'More', cell: (user) => <UserMenu user={user} {...opens} /> },
  ]
}

type UserPatch = { role: Role } | { disabled: boolean }

function useChangeUser(user: User) {
  const queries = useQueryClient()
  const { wish, change } = useUndoable({
    id: user.id,
    save: (patch: UserPatch) => call<User>('PATCH', `/users/${user.id}`, patch),
    refresh: () => queries.invalidateQueries({ queryKey: ['/users'] }),
  })
  const words = `${user.name}: saved, and in force.`
  return {
    role: wish && 'role' in wish ? wish.role : user.role,
    setRole: (role: Role) => change({ patch: { role }, words, back: { role: user.role } }),
    setDisabled: (disabled: boolean) => change({ patch: { disabled }, words, back: { disabled: !disabled } }),
  }
}

function RoleOf({ user }: { user: User }) {
  const { role, setRole } = useChangeUser(user)
  const me = useMe()
  if (user.id === me.id) return user.role
  return (
    <Select
      size="xs"
      w={120}
      aria-label={`Role of ${user.name}`}
      data={roleOptions}
      allowDeselect={false}
      value={role}
      onChange={(chosen) => chosen && setRole(chosen as Role)} // the select offers roles only
    />
  )
}

function UserMenu({ user, onLink, onSessions }: Opens & { user: User }) {
  const me = useMe()
  const { setDisabled } = useChangeUser(user)
  const reset = useMutation({
    mutationFn: () => call<{ url: string }>('POST', `/users/${user.id}/reset-link`),
    onSuccess: ({ url }) => onLink(url),
    onError: sayProblem,
  })
  const remove = useDeed((path: string) => call<void>('DELETE', path), {
    words: 'Done.',
    changes: ['/users'],
  })
  return (
    <Group gap={0}>
      <MoreMenu what={user.name} variant="subtle" color="gray">
        <Menu.Item onClick={() => reset.mutate()}>
          {user.status === 'invited' ? 'New invitation link' : 'Password reset link'}
        </Menu.Item>
        <Menu.Item onClick={() => onSessions(user)}>Sessions</Menu.Item>
        {user.totp && (
          <Menu.Item onClick={() => remove.mutate(`/users/${user.id}/totp`)}>
            Switch off the second factor
          </Menu.Item>
        )}
        {user.id !== me.id && (
          <>
            <Menu.Item onClick={() => setDisabled(user.status !== 'disabled')}>
              {user.status === 'disabled' ? 'Enable' : 'Disable'}
            </Menu.Item>
            <Menu.Item
              c="var(--bad)"
              onClick={() =>
                askFirst({
                  title: `Remove ${user.name}?`,
                  text: 'They are signed out at once and cannot come back without a new invitation. What they did stays in the audit log.',
                  action: 'Remove user',
                  onYes: () => remove.mutate(`/users/${user.id}`),
                })
              }
            >
              Remove
            </Menu.Item>
          </>
        )}
      </MoreMenu>
    </Group>
  )
}
