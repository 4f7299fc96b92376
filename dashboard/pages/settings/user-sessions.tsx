import { Modal, Stack, Text } from '@mantine/core'
import type { Session, User } from '../../contract.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListView } from '../../ui/list-view.tsx'
import { useList } from '../../use-api.ts'
import { sessionColumns } from './sessions.tsx'

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
        A session that is ended stops working at once. A reset link takes the password away too.
      </Text>
      <ListView
        query={sessions}
        empty={
          <Empty
            purpose={`${user.name} is signed in nowhere.`}
            example="Sessions end by themselves after two weeks of silence."
          />
        }
      >
        {(items) => <DataTable label={`Sessions of ${user.name}`} rows={items} columns={sessionColumns} />}
      </ListView>
    </Stack>
  )
}
