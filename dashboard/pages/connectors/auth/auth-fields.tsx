import { Select, TextInput } from '@mantine/core'
import type { Connector } from '../../../contract.ts'
import { SecretInput } from '../../../ui/forms/secret-input.tsx'
import type { DraftForm } from '../../../ui/forms/use-draft-form.ts'
import type { ConnectorValues } from '../connector-values.ts'
import { authLabels, usesOauth } from './auth-labels.ts'
import { OauthFields } from './oauth-fields.tsx'

const authTypes = Object.entries(authLabels).map(([value, { label }]) => ({ value, label }))

const names = {
  api_key: { label: 'Header', description: 'Default: X-API-Key', placeholder: 'X-API-Key' },
  query: {
    label: 'Query parameter',
    description: 'The name that the API documents, as in ?api_key=… Default: api_key',
    placeholder: 'api_key',
  },
}

type Props = {
  form: DraftForm<ConnectorValues>
  type: Connector['type']
  connector: Connector | undefined
}

/** How a connector of either type authenticates. */
export function AuthFields({ form, type, connector }: Props) {
  const { authType } = form.values
  const isOauth = usesOauth(authType)
  return (
    <>
      <Select
        label="Authentication"
        description="How Bellhop authenticates with the server."
        data={authTypes}
        allowDeselect={false}
        {...form.getInputProps('authType')}
      />
      {(authType === 'api_key' || authType === 'query') && (
        <TextInput {...names[authType]} {...form.getInputProps('authName')} />
      )}
      {isOauth && (
        <OauthFields
          form={form}
          isMcp={type === 'mcp'}
          isSecretSet={connector?.oauth?.clientSecret.set === true}
        />
      )}
      {authType !== 'none' && !isOauth && (
        <SecretInput
          label="Secret"
          description={authLabels[authType].secret}
          isSet={connector?.authValue.set === true}
          {...form.getInputProps('authValue')}
        />
      )}
    </>
  )
}
