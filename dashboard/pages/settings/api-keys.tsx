import { Button, Code, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { createApiKeyBody } from '../../../src/accounts/contract.ts'
import { call } from '../../api.ts'
import type { ApiKey } from '../../contract.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useList } from '../../hooks/use-api.ts'
import { useFilter } from '../../hooks/use-filter.ts'
import { useStillOnPage } from '../../hooks/use-still-on-page.ts'
import { useTabState } from '../../hooks/use-tab-state.ts'
import { schemaErrors } from '../../schema-errors.ts'
import { ConfirmButton } from '../../ui/feedback/confirm-button.tsx'
import { EmptyList } from '../../ui/feedback/empty-list.tsx'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { notify } from '../../ui/feedback/notify.ts'
import { StatusBadge } from '../../ui/feedback/status-badge.tsx'
import { Unsaved } from '../../ui/forms/unsaved.tsx'
import { useDraftForm } from '../../ui/forms/use-draft-form.ts'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { SearchField } from '../../ui/table/search-field.tsx'
import { OneTimeValue } from '../../ui/text/one-time-value.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { roleLabels, roleOptions } from '../accounts/roles.ts'

const madeKey = ['made-api-key']

export function ApiKeys() {
  const [q, setQ] = useFilter('q')
  const keys = useList<ApiKey>('/api-keys', { q })
  const queries = useQueryClient()
  const isStillOnPage = useStillOnPage()
  // Kept for somebody who leaves the page before the answer comes: it is the only copy.
  const made = useTabState<string | null>(madeKey, null)
  const setMade = (key: string | null) => queries.setQueryData(madeKey, key)
  const form = useDraftForm({
    key: 'api-key',
    initialValues: { name: '', role: 'operator' },
    validate: (values) => schemaErrors(createApiKeyBody, values, values),
  })
  const create = useMutation({
    mutationFn: (values: typeof form.values) => call<{ key: string }>('POST', '/api-keys', values),
    onSuccess: ({ key }) => {
      form.discard()
      setMade(key)
      if (!isStillOnPage()) notify('API key created. Open Settings → API keys to copy it.')
      void queries.invalidateQueries({ queryKey: ['/api-keys'] })
    },
    onError: form.showErrors,
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
          <Select
            label="Role"
            w={130}
            data={roleOptions}
            allowDeselect={false}
            {...form.getInputProps('role')}
          />
          <Button type="submit" mt={23} loading={create.isPending}>
            Create key
          </Button>
        </Group>
      </form>
      {form.restored && <Unsaved form={form} />}
      {create.error && <ErrorAlert error={create.error} of={form.values} />}
      <Text size="xs" c="dimmed">
        Send a key as <Code>Authorization: Bearer blh_…</Code>. It has the permissions of its role and works
        until it is revoked, even after the person who created it has left.
      </Text>
      <SearchField label="Search API keys" value={q} onChange={setQ} />
      <ListView
        query={keys}
        empty={
          <EmptyList
            what="API keys"
            to="/settings/keys"
            filtered={q !== undefined}
            searched="Search covers names, prefixes and who created a key."
            purpose="API keys let programs use Bellhop."
            example="For example curl, a deploy script or an MCP client."
          />
        }
      >
        {(items) => <DataTable label="API keys" rows={items} columns={columns} />}
      </ListView>
      <OneTimeValue
        title="Copy your API key"
        text="It is shown only once. Bellhop stores only a hash of it."
        what="key"
        value={made}
        onClose={() => setMade(null)}
      />
    </Stack>
  )
}

const columns: Column<ApiKey>[] = [
  { name: 'Name', grow: true, sort: ({ name }) => name, cell: (key) => key.name },
  { name: 'Role', cell: (key) => roleLabels[key.role] },
  { name: 'Prefix', narrow: 'below', cell: (key) => <Code fz={12}>{key.start}</Code> },
  { name: 'Created by', narrow: 'below', cell: (key) => <Maker apiKey={key} /> },
  {
    name: 'Last used',
    narrow: 'wide-only',
    sort: ({ lastUsedAt }) => lastUsedAt,
    cell: (key) => <RelativeTime at={key.lastUsedAt} />,
  },
  { name: 'Created', narrow: 'wide-only', cell: (key) => <RelativeTime at={key.createdAt} /> },
  { name: 'Revoke', quiet: true, cell: (key) => <Revoke apiKey={key} /> },
]

function Maker({ apiKey: { createdBy, makerGone } }: { apiKey: ApiKey }) {
  if (!makerGone) return createdBy
  return <StatusBadge tone="waiting" word={`${createdBy} (no longer an admin)`} />
}

function Revoke({ apiKey }: { apiKey: ApiKey }) {
  const revoke = useAction(() => call<void>('DELETE', `/api-keys/${apiKey.id}`), {
    words: `${apiKey.name} was revoked`,
    changes: ['/api-keys'],
  })
  return (
    <ConfirmButton
      size="compact-xs"
      aria-label={`Revoke ${apiKey.name}`}
      question={`Revoke ${apiKey.name}?`}
      text="Programs that use this key lose access immediately."
      confirm="Revoke key"
      action={revoke}
    >
      Revoke
    </ConfirmButton>
  )
}
