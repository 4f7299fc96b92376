import { Select, TextInput } from '@mantine/core'
import { SecretInput } from '../../ui/secret-input.tsx'
import type { DraftForm } from '../../ui/use-draft-form.ts'
import { authLabels } from './auth-labels.ts'
import type { ConnectorValues } from './connector-values.ts'

const authTypes = Object.entries(authLabels).map(([value, { label }]) => ({ value, label }))

const names = {
  api_key: { label: 'Header', description: 'Default: X-API-Key', placeholder: 'X-API-Key' },
  query: {
    label: 'Query parameter',
    description: 'The name that the API documents, as in ?api_key=… Default: api_key',
    placeholder: 'api_key',
  },
}

type Props = { form: DraftForm<ConnectorValues>; isSet: boolean }

/** How a connector of either type authenticates. */
export function AuthFields({ form, isSet }: Props) {
  const { authType } = form.values
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
      {authType !== 'none' && (
        <SecretInput
          label="Secret"
          description={authLabels[authType].secret}
          isSet={isSet}
          {...form.getInputProps('authValue')}
        />
      )}
    </>
  )
}
