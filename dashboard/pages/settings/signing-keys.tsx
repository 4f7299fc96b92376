import { Code, Group, Stack, Text } from '@mantine/core'
import { call } from '../../api.ts'
import type { SigningKeys as Keys } from '../../contract.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useOne } from '../../hooks/use-api.ts'
import { ConfirmButton } from '../../ui/feedback/confirm-button.tsx'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'

/** What targets verify receipts with. */
export function SigningKeys() {
  const keys = useOne<Keys>('/signing-keys')
  const rotate = useAction(() => call<Keys>('POST', '/signing-keys/rotate'), {
    words: 'Receipts are signed with a new key.',
    changes: ['/signing-keys'],
  })
  return (
    <Stack maw={720}>
      <Text maw={560} size="sm">
        Connectors with “Sign approved requests” send a receipt with every approved request. Targets verify
        receipts with the public keys at this address.
      </Text>
      <QueryView query={keys}>
        {({ jwksUrl, keys: rows }) => (
          <Stack>
            <Code block>{jwksUrl}</Code>
            <DataTable label="Signing keys" rows={rows} columns={columns} />
            <Group>
              <ConfirmButton
                size="sm"
                question="Sign with a new key?"
                text="Receipts are signed with a new key from now on. The current key stays published for a day, so targets that read the list of keys again accept every receipt."
                confirm="Rotate key"
                action={rotate}
              >
                Rotate key…
              </ConfirmButton>
            </Group>
          </Stack>
        )}
      </QueryView>
    </Stack>
  )
}

type Key = Keys['keys'][number]

const columns: Column<Key>[] = [
  { name: 'Key', grow: true, cell: ({ id }) => <Code>{id}</Code> },
  {
    name: 'Status',
    cell: ({ retiredAt, isPublished }) =>
      retiredAt === null ? 'Signs' : isPublished ? 'Replaced, still published' : 'Replaced',
  },
  { name: 'Created', narrow: 'hide', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
]
