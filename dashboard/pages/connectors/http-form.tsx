import { Alert, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core'
import { connectorPatchShape, newConnectorShape } from '../../../src/connectors/mcp/contract.ts'
import type { HttpConnector } from '../../contract.ts'
import { schemaErrors } from '../../schema-errors.ts'
import { Collapsible } from '../../ui/collapsible.tsx'
import { hasErrorAt } from '../../ui/field-errors.ts'
import { FormFoot } from '../../ui/form-foot.tsx'
import { plural } from '../../ui/plural.ts'
import { SecretInput } from '../../ui/secret-input.tsx'
import { useDraftForm } from '../../ui/use-draft-form.ts'
import { authLabels } from './auth-labels.ts'
import { HeaderRows } from './header-rows.tsx'
import {
  type HttpValues,
  headerProblems,
  httpErrors,
  newHttp,
  toHttpBody,
  toHttpValues,
  withoutHttpSecrets,
} from './http-values.ts'
import { useFixedAddress } from './use-fixed-address.ts'
import { useSaveConnector } from './use-save-connector.ts'

type Props = { connector?: HttpConnector; onSaved: (connector: HttpConnector) => void }

const authTypes = Object.entries(authLabels).map(([value, { label }]) => ({ value, label }))

export function HttpForm({ connector, onSaved }: Props) {
  const fixed = useFixedAddress(connector)
  const form = useDraftForm<HttpValues>({
    key: connector ? `connector:${connector.id}` : 'connector:new',
    initialValues: connector ? toHttpValues(connector) : newHttp,
    withoutSecrets: withoutHttpSecrets,
    validate: (values) => ({
      authValue:
        values.authType !== 'none' && values.authValue === '' && !connector?.authValue.set
          ? 'Enter the secret from your API provider.'
          : null,
      ...headerProblems(values.defaultHeaders),
      ...schemaErrors(
        connector ? connectorPatchShape : newConnectorShape,
        toHttpBody(values, connector ?? null),
        values,
      ),
    }),
  })
  const save = useSaveConnector<HttpConnector, HttpValues>({
    id: connector?.id,
    toBody: (values) => toHttpBody(values, connector ?? null),
    onSaved: (saved) => {
      if (connector) form.markSaved(toHttpValues(saved))
      else form.discard(newHttp)
      onSaved(saved)
    },
    onError: (error) => form.setFieldErrors(httpErrors(error, form.values)),
  })
  const { authType, baseUrl } = form.values
  const moves = connector && originOf(baseUrl) !== originOf(connector.baseUrl)
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack maw={720}>
        <TextInput
          label="Name"
          description="The agent sees a short form of this name in front of each tool name."
          placeholder="Shop"
          withAsterisk
          {...form.getInputProps('name')}
        />
        <TextInput
          label="Base URL"
          description="The root URL of the API. Tool paths are appended to it."
          placeholder="https://api.example.com/v1"
          withAsterisk
          inputMode="url"
          {...form.getInputProps('baseUrl')}
          {...fixed}
        />
        {moves && connector.authValue.set && (
          <Alert color="yellow" variant="outline">
            <Text size="sm">
              The address changes, so the stored secrets are cleared to keep them from being sent to another
              server. Enter them again.
            </Text>
          </Alert>
        )}
        <Select
          label="Authentication"
          description="How Bellhop authenticates with the API."
          data={authTypes}
          allowDeselect={false}
          {...form.getInputProps('authType')}
        />
        {authType !== 'none' && (
          <SecretInput
            label="Secret"
            description={authLabels[authType].secret}
            isSet={connector?.authValue.set === true}
            {...form.getInputProps('authValue')}
          />
        )}
        {authType === 'api_key' && (
          <TextInput
            label="Header"
            description="Default: X-API-Key"
            placeholder="X-API-Key"
            {...form.getInputProps('authHeaderName')}
          />
        )}
        <Collapsible
          title="Headers and timeout"
          summary={`${plural(form.values.defaultHeaders.length, 'header')}, ${Number(form.values.timeoutMs) / 1000} s`}
          open={form.values.defaultHeaders.length > 0}
          faulty={hasErrorAt(form.errors, 'defaultHeaders', 'timeoutMs')}
        >
          <Stack>
            <HeaderRows form={form} />
            <NumberInput
              label="Timeout (ms)"
              description="For the complete response, up to 120,000. Default: 30,000."
              min={100}
              max={120_000}
              step={1000}
              thousandSeparator=","
              maw={280}
              {...form.getInputProps('timeoutMs')}
            />
          </Stack>
        </Collapsible>
        <FormFoot save="Save & test" form={form} saving={save} />
      </Stack>
    </form>
  )
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null
}
