import { Group, TextInput } from '@mantine/core'
import type { ImportPreview } from '../../../contract.ts'
import { SecretInput } from '../../../ui/forms/secret-input.tsx'
import type { DraftForm } from '../../../ui/forms/use-draft-form.ts'
import { authLabels, usesOauth } from '../auth/auth-labels.ts'
import type { ImportValues } from './import-values.ts'

type Props = {
  form: DraftForm<ImportValues>
  authType: ImportPreview['connector']['authType']
}

/** What a new connector needs besides its tools. */
export function ImportFields({ form, authType }: Props) {
  return (
    <>
      <Group align="flex-start" gap="md">
        <TextInput label="Name" style={{ flex: '1 1 12.5rem' }} {...form.getInputProps('name')} />
        <TextInput label="Base URL" style={{ flex: '2 1 20rem' }} {...form.getInputProps('baseUrl')} />
      </Group>
      {authType !== 'none' && !usesOauth(authType) && (
        <SecretInput
          label="Secret"
          description={`${authLabels[authType].label}. ${authLabels[authType].secret} Leave empty to add it later in the connector settings.`}
          maw={480}
          {...form.getInputProps('authValue')}
        />
      )}
    </>
  )
}
