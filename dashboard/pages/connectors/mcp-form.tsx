import { Stack, TextInput } from '@mantine/core'
import { connectorPatchShape, newConnectorShape } from '../../../src/connectors/mcp/contract.ts'
import type { McpConnector } from '../../contract.ts'
import { schemaErrors } from '../../schema-errors.ts'
import { FormFoot } from '../../ui/form-foot.tsx'
import { changedFields } from '../../ui/merge-server-values.ts'
import { SecretInput } from '../../ui/secret-input.tsx'
import { useDraftForm } from '../../ui/use-draft-form.ts'
import { useFixedAddress } from './use-fixed-address.ts'
import { useSaveConnector } from './use-save-connector.ts'

type Props = { connector?: McpConnector; onSaved: (connector: McpConnector) => void }
type Values = { name: string; url: string; authValue: string | null }

export function McpForm({ connector, onSaved }: Props) {
  const fixed = useFixedAddress(connector)
  const form = useDraftForm<Values>({
    key: connector ? `connector:${connector.id}` : 'connector:new-mcp',
    initialValues: toValues(connector),
    withoutSecrets: (values) => ({ ...values, authValue: '' }),
    validate: (values) =>
      schemaErrors(connector ? connectorPatchShape : newConnectorShape, toBody(values, connector), values),
  })
  const save = useSaveConnector<McpConnector, Values>({
    id: connector?.id,
    toBody: (values) => toBody(values, connector),
    onSaved: (saved) => {
      if (connector) form.markSaved(toValues(saved))
      else form.discard(toValues(undefined))
      onSaved(saved)
    },
    onError: form.showErrors,
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack maw={720}>
        <TextInput
          label="Name"
          description="The agent sees a short form of this name in front of each tool name."
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
        <SecretInput
          label="Bearer token"
          description="Only if the server requires one."
          isSet={connector?.authValue.set === true}
          removable
          {...form.getInputProps('authValue')}
        />
        <FormFoot save="Save & test" form={form} saving={save} />
      </Stack>
    </form>
  )
}

/** For a stored one only what was changed: somebody else may have changed the rest meanwhile. */
function toBody(values: Values, connector: McpConnector | undefined): Record<string, unknown> {
  const { name, url, authValue } = values
  const body = { name: name.trim(), url: url.trim(), ...(authValue === '' ? {} : { authValue }) }
  if (!connector) return { type: 'mcp', ...body }
  const typed = changedFields(values, toValues(connector))
  return Object.fromEntries(Object.entries(body).filter(([field]) => field in typed))
}

function toValues(connector: McpConnector | undefined): Values {
  return { name: connector?.name ?? '', url: connector?.url ?? '', authValue: '' }
}
