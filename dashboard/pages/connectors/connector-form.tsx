import { Alert, Stack, Switch, Text, TextInput } from '@mantine/core'
import { connectorPatchShape, newConnectorShape } from '../../../src/connectors/mcp/contract.ts'
import type { Connector } from '../../contract.ts'
import { schemaErrors } from '../../schema-errors.ts'
import { hasErrorAt } from '../../ui/forms/field-errors.ts'
import { FormFoot } from '../../ui/forms/form-foot.tsx'
import { type NumberField, NumberFields } from '../../ui/forms/number-fields.tsx'
import { useDraftForm } from '../../ui/forms/use-draft-form.ts'
import { Collapsible } from '../../ui/layout/collapsible.tsx'
import { plural } from '../../ui/text/plural.ts'
import { AuthFields } from './auth/auth-fields.tsx'
import { usesOauth } from './auth/auth-labels.ts'
import {
  addressOf,
  type ConnectorValues,
  connectorErrors,
  headerProblems,
  newConnector,
  toConnectorBody,
  toConnectorValues,
  withoutConnectorSecrets,
} from './connector-values.ts'
import { HeaderRows } from './header-rows.tsx'
import { useFixedAddress } from './use-fixed-address.ts'
import { useSaveConnector } from './use-save-connector.ts'

type Props = { type: Connector['type']; connector?: Connector; onSaved: (connector: Connector) => void }

const timeoutFields: NumberField[] = [
  {
    path: 'timeoutMs',
    label: 'Timeout',
    description: 'For the complete response, up to 2 minutes. Default: 30 seconds.',
    unit: 'milliseconds',
  },
]

const addressFields = {
  http: {
    field: 'baseUrl',
    label: 'Base URL',
    description: 'The root URL of the API. Tool paths are appended to it.',
    placeholder: 'https://api.example.com/v1',
    name: 'Shop',
  },
  mcp: {
    field: 'url',
    label: 'URL',
    description: 'Streamable HTTP is tried first, then HTTP with server-sent events.',
    placeholder: 'https://mcp.example.com/mcp',
    name: 'Docs',
  },
} as const

/** The settings of either type: they differ in what their address is called. */
export function ConnectorForm({ type, connector, onSaved }: Props) {
  const fixed = useFixedAddress(connector)
  const form = useDraftForm<ConnectorValues>({
    key: connector ? `connector:${connector.id}` : `connector:new-${type}`,
    initialValues: connector ? toConnectorValues(connector) : newConnector,
    withoutSecrets: withoutConnectorSecrets,
    validate: (values) => ({
      authValue:
        values.authType !== 'none' &&
        !usesOauth(values.authType) &&
        values.authValue === '' &&
        !connector?.authValue.set
          ? 'Enter the secret from your API provider.'
          : null,
      ...headerProblems(values.defaultHeaders),
      ...schemaErrors(
        connector ? connectorPatchShape : newConnectorShape,
        toConnectorBody(type, values, connector ?? null),
        values,
      ),
    }),
  })
  const save = useSaveConnector<ConnectorValues>({
    id: connector?.id,
    toBody: (values) => toConnectorBody(type, values, connector ?? null),
    onSaved: (saved) => {
      if (connector) form.markSaved(toConnectorValues(saved))
      else form.discard(newConnector)
      onSaved(saved)
    },
    onError: (error) => form.setFieldErrors(connectorErrors(error, form.values)),
  })
  const { field, name: exampleName, ...address } = addressFields[type]
  const moves = connector && originOf(form.values[field]) !== originOf(addressOf(connector))
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack maw={720}>
        <TextInput
          label="Name"
          description="The agent sees a short form of this name in front of each tool name."
          placeholder={exampleName}
          withAsterisk
          {...form.getInputProps('name')}
        />
        <TextInput {...address} withAsterisk inputMode="url" {...form.getInputProps(field)} {...fixed} />
        {moves && (connector.authValue.set || connector.grant?.state === 'connected') && (
          <Alert color="yellow" variant="outline">
            <Text size="sm">
              The address changes, so stored secrets and access are cleared to keep them from another server.
              Enter the secrets or sign in again.
            </Text>
          </Alert>
        )}
        <AuthFields form={form} type={type} connector={connector} />
        <Collapsible
          title="Headers and timeout"
          summary={`${plural(form.values.defaultHeaders.length, 'header')}, ${Number(form.values.timeoutMs) / 1000} s`}
          open={form.values.defaultHeaders.length > 0}
          faulty={hasErrorAt(form.errors, 'defaultHeaders', 'timeoutMs')}
        >
          <Stack>
            <HeaderRows form={form} />
            <NumberFields form={form} fields={timeoutFields} cols={1} maw={280} />
          </Stack>
        </Collapsible>
        <Switch
          label="Sign approved requests"
          description="Each approved request carries a receipt that the target can verify: what was approved, by whom, and that nothing was changed since."
          {...form.getInputProps('signRequests', { type: 'checkbox' })}
        />
        <FormFoot save="Save & test" form={form} saving={save} />
      </Stack>
    </form>
  )
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null
}
