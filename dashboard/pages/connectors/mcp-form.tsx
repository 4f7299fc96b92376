import { PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import { FormFoot } from '../../ui/form-foot.tsx'
import { useKeptForm } from '../../ui/use-kept-form.ts'
import type { McpConnector } from './connector-kinds.ts'
import type { TestOutcome } from './test-outcome.tsx'
import { useFixedAddress } from './use-fixed-address.ts'

type Props = { connector?: McpConnector; onSaved: (connector: McpConnector, outcome: TestOutcome) => void }

export function McpForm({ connector, onSaved }: Props) {
  const queries = useQueryClient()
  const fixed = useFixedAddress(connector)
  const initialValues = { name: connector?.name ?? '', url: connector?.url ?? '', authValue: '' }
  const form = useKeptForm({
    key: connector ? `connector:${connector.id}` : 'connector:new-mcp',
    initialValues,
    withoutSecrets: (values) => ({ ...values, authValue: '' }),
    validate: (values) => ({
      name: values.name.trim() === '' ? 'Give the connector a name.' : null,
      url: /^https?:\/\/./.test(values.url.trim())
        ? null
        : 'Write the URL of the MCP server, for example https://mcp.example.com/mcp.',
    }),
  })
  const save = useMutation({
    mutationFn: async ({ name, url, authValue }: typeof form.values) => {
      const body = { name: name.trim(), url: url.trim(), ...(authValue === '' ? {} : { authValue }) }
      const saved = connector
        ? await call<McpConnector>('PATCH', `/connectors/${connector.id}`, body)
        : await call<McpConnector>('POST', '/connectors', { type: 'mcp', ...body })
      const outcome = await call<TestOutcome>('POST', `/connectors/${saved.id}/test`, {})
      return { saved, outcome }
    },
    onSuccess: ({ saved, outcome }) => {
      form.forget(connector ? { name: saved.name, url: saved.url, authValue: '' } : initialValues)
      void queries.invalidateQueries({ queryKey: [`/connectors/${saved.id}`] })
      void queries.invalidateQueries({ queryKey: ['/connectors'] })
      onSaved(saved, outcome)
    },
    onError: form.refuse,
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack maw={720}>
        <TextInput
          label="Name"
          description="The agent sees a short form of it in front of each tool."
          placeholder="Docs"
          withAsterisk
          {...form.getInputProps('name')}
        />
        <TextInput
          label="URL"
          description="Streamable HTTP is tried first, then HTTP with server-sent events."
          placeholder="https://mcp.example.com/mcp"
          withAsterisk
          inputMode="url"
          {...form.getInputProps('url')}
          {...fixed}
        />
        <PasswordInput
          label="Bearer token"
          description={
            connector?.authValue.set
              ? 'Set. Leave it empty to keep it.'
              : 'Only where the server asks for one.'
          }
          autoComplete="off"
          {...form.getInputProps('authValue')}
        />
        <FormFoot save="Save & test" form={form} saving={save} />
      </Stack>
    </form>
  )
}
