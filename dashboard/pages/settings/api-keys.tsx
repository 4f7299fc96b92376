import { Button, Code, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import type { ApiKey } from '../../contract.ts'
import { askFirst } from '../../ui/ask-first.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Failed } from '../../ui/failed.tsx'
import { ListView } from '../../ui/list-view.tsx'
import { notify } from '../../ui/notify.ts'
import { OneTimeValue } from '../../ui/one-time-value.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { Unsaved } from '../../ui/unsaved.tsx'
import { useKeptForm } from '../../ui/use-kept-form.ts'
import { useAction } from '../../use-action.ts'
import { useList } from '../../use-api.ts'
import { useStillOnPage } from '../../use-still-on-page.ts'
import { useTabState } from '../../use-tab-state.ts'
import { roles } from '../accounts/roles.ts'

const madeKey = ['made-api-key']

export function ApiKeys() {
  const keys = useList<ApiKey>('/api-keys')
  const queries = useQueryClient()
  const isHere = useStillOnPage()
  // Kept for somebody who leaves the page before the answer comes: it is the only copy.
  const made = useTabState<string | null>(madeKey, null)
  const setMade = (key: string | null) => queries.setQueryData(madeKey, key)
  const form = useKeptForm({
    key: 'api-key',
    initialValues: { name: '', role: 'operator' },
    validate: { name: (value) => (value.trim() === '' ? 'Say what the key is for.' : null) },
  })
  const create = useMutation({
    mutationFn: (values: typeof form.values) => call<{ key: string }>('POST', '/api-keys', values),
    onSuccess: ({ key }) => {
      form.forget()
      setMade(key)
      if (!isHere()) notify('The key is created. Settings → API keys shows it, once.')
      void queries.invalidateQueries({ queryKey: ['/api-keys'] })
    },
    onError: form.refuse,
  })
  return (
    <Stack>
      <form onSubmit={form.onSubmit((values) => create.mutate(values))} noValidate>
        <Group align="flex-start" gap={8}>
          <TextInput
            label="Name"
            placeholder="Deploy script"
            style={{ flex: '1 1 15rem' }}
            {...form.getInputProps('name')}
          />
          <Select label="Role" w={130} data={roles} allowDeselect={false} {...form.getInputProps('role')} />
          <Button type="submit" mt={23} loading={create.isPending}>
            Create key
          </Button>
        </Group>
      </form>
      {form.restored && <Unsaved form={form} />}
      {create.error && <Failed error={create.error} of={form.values} />}
      <Text size="xs" c="dimmed">
        A key is sent as <Code>Authorization: Bearer blh_…</Code> and may do what its role may. It works until
        it is revoked, also when whoever made it is gone.
      </Text>
      <ListView
        query={keys}
        empty={
          <Empty
            purpose="An API key lets a program do what the dashboard does."
            example="curl, a deploy script, an MCP client."
          />
        }
      >
        {(items) => <DataTable label="API keys" rows={items} columns={columns} />}
      </ListView>
      <OneTimeValue
        title="Copy the key now"
        text="It is not shown again. Bellhop keeps only a hash of it."
        what="key"
        value={made}
        onClose={() => setMade(null)}
      />
    </Stack>
  )
}

const columns: Column<ApiKey>[] = [
  { name: 'Name', grow: true, cell: (key) => key.name },
  { name: 'Role', cell: (key) => key.role },
  { name: 'Begins with', narrow: 'below', cell: (key) => <Code fz={12}>{key.start}</Code> },
  { name: 'Made by', narrow: 'below', cell: (key) => <Maker apiKey={key} /> },
  { name: 'Last used', narrow: 'hide', cell: (key) => <RelativeTime at={key.lastUsedAt} /> },
  { name: 'Created', narrow: 'wide-only', cell: (key) => <RelativeTime at={key.createdAt} /> },
  { name: 'Revoke', cell: (key) => <Revoke apiKey={key} /> },
]

function Maker({ apiKey: { createdBy, makerGone } }: { apiKey: ApiKey }) {
  if (!makerGone) return createdBy
  return <StatusBadge tone="waiting" word={`${createdBy}, no admin any more`} />
}

function Revoke({ apiKey }: { apiKey: ApiKey }) {
  const revoke = useAction(() => call<void>('DELETE', `/api-keys/${apiKey.id}`), {
    words: 'Revoked.',
    changes: ['/api-keys'],
  })
  return (
    <Button
      size="compact-xs"
      variant="default"
      loading={revoke.isPending}
      aria-label={`Revoke ${apiKey.name}`}
      onClick={() =>
        askFirst({
          title: `Revoke ${apiKey.name}?`,
          text: 'Whoever uses it is refused at once.',
          action: 'Revoke key',
          onYes: () => revoke.mutate(),
        })
      }
    >
      Revoke
    </Button>
  )
}
