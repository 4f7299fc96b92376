import { Modal, Stack, Text } from '@mantine/core'
import type { Session, User } from '../../../contract.ts'
import { useList } from '../../../hooks/use-api.ts'
import { Empty } from '../../../ui/feedback/empty.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { ListView } from '../../../ui/table/list-view.tsx'
import { sessionColumns } from '../own-account/sessions.tsx'

type Props = { user: User | null; onClose: () => void }

/** Where somebody is signed in, so that an admin can end sessions. */
export function UserSessions({ user, onClose }: Props) {
  return (
    <Modal opened={user !== null} onClose={onClose} size="xl" title={`Sessions of ${user?.name ?? ''}`}>
      {user && <SessionsOf user={user} />}
    </Modal>
  )
}

function SessionsOf({ user }: { user: User }) {
  const sessions = useList<Session>('/sessions', { userId: user.id })
  return (
    <Stack>
      <Text c="dimmed">
        An ended session stops working immediately. A reset link also clears the password.
      </Text>
      <ListView
        query={sessions}
        empty={
          <Empty
            purpose={`${user.name} is not signed in anywhere`}
            example="Sessions end after two weeks without use."
          />
        }
      >
        {(items) => <DataTable label={`Sessions of ${user.name}`} rows={items} columns={sessionColumns} />}
      </ListView>
    </Stack>
  )
}
