import { Group, PasswordInput, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ImportPreview } from '../../../src/connectors/contract.ts'

type Props = {
  form: UseFormReturnType<{ name: string; baseUrl: string; authValue: string }>
  authType: ImportPreview['connector']['authType']
}

/** What a new connector needs besides its tools. */
export function ImportFields({ form, authType }: Props) {
  return (
    <>
      <Group align="flex-start" gap="md">
        <TextInput label="Name" style={{ flex: '1 1 200px' }} {...form.getInputProps('name')} />
        <TextInput label="Base URL" style={{ flex: '2 1 320px' }} {...form.getInputProps('baseUrl')} />
      </Group>
      {authType !== 'none' && (
        <PasswordInput
          label="Secret"
          description={`The API wants ${authWords[authType]}. Leave it empty to add it later under Settings.`}
          autoComplete="off"
          maw={480}
          {...form.getInputProps('authValue')}
        />
      )}
    </>
  )
}

const authWords = {
  none: 'nothing',
  bearer: 'a bearer token',
  api_key: 'an API key in a header',
  basic: 'a user name and password, as username:password',
}
