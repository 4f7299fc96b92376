import { Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { hasErrorAt } from '../../../ui/forms/field-errors.ts'
import { SecretInput } from '../../../ui/forms/secret-input.tsx'
import type { DraftForm } from '../../../ui/forms/use-draft-form.ts'
import { Collapsible } from '../../../ui/layout/collapsible.tsx'
import type { ConnectorValues } from '../connector-values.ts'

const ways = [
  { value: 'auto', label: 'As the server accepts it' },
  { value: 'basic', label: 'In the Authorization header (Basic)' },
  { value: 'post', label: 'In the body' },
  { value: 'none', label: 'Not at all (public client)' },
]

type Props = {
  form: DraftForm<ConnectorValues>
  /** MCP servers name their authorization server themselves. */
  isMcp: boolean
  isSecretSet: boolean
}

/** The settings of OAuth. For an MCP server all of them are optional. */
export function OauthFields({ form, isMcp, isSecretSet }: Props) {
  const isForPeople = form.values.authType === 'oauth'
  const { clientId } = form.values.oauth
  const fields = (
    <Stack>
      <TextInput
        label="Issuer"
        description="The address of the authorization server. Bellhop reads its other addresses from there."
        placeholder="https://auth.example.com"
        inputMode="url"
        {...form.getInputProps('oauth.issuer')}
      />
      {isForPeople && (
        <TextInput
          label="Authorization URL"
          description="Only if the issuer publishes no metadata."
          placeholder="https://auth.example.com/authorize"
          inputMode="url"
          {...form.getInputProps('oauth.authorizationUrl')}
        />
      )}
      <TextInput
        label="Token URL"
        description="Only if the issuer publishes no metadata."
        placeholder="https://auth.example.com/token"
        inputMode="url"
        {...form.getInputProps('oauth.tokenUrl')}
      />
      <TextInput
        label="Client ID"
        description={
          isForPeople
            ? 'Of the app that you registered there. Leave it empty to let Bellhop register itself.'
            : 'Of the app that you registered there.'
        }
        {...form.getInputProps('oauth.clientId')}
      />
      {(clientId !== '' || isSecretSet || !isForPeople) && (
        <SecretInput
          label="Client secret"
          isSet={isSecretSet}
          {...form.getInputProps('oauth.clientSecret')}
        />
      )}
      <TextInput
        label="Scopes"
        description={`Separated by spaces.${isForPeople ? ' Leave it empty to use those that the server names.' : ''}`}
        {...form.getInputProps('oauth.scopes')}
      />
      <Collapsible
        title="More OAuth settings"
        faulty={hasErrorAt(
          form.errors,
          'oauth.tokenAuth',
          'oauth.resource',
          'oauth.revocationUrl',
          'oauth.extraParams',
        )}
      >
        <Stack>
          <Select
            label="Client secret is sent"
            data={ways}
            allowDeselect={false}
            {...form.getInputProps('oauth.tokenAuth')}
          />
          <TextInput
            label="Resource"
            description="The resource indicator (RFC 8707), if the server wants one."
            {...form.getInputProps('oauth.resource')}
          />
          <TextInput
            label="Revocation URL"
            description="Asked when you disconnect."
            {...form.getInputProps('oauth.revocationUrl')}
          />
          {isForPeople && (
            <Textarea
              label="Extra parameters"
              description="For the sign-in page, one name=value per line, such as access_type=offline."
              autosize
              minRows={2}
              {...form.getInputProps('oauth.extraParams')}
            />
          )}
        </Stack>
      </Collapsible>
    </Stack>
  )
  if (!isMcp || !isForPeople) return fields
  return (
    <>
      <Text size="sm" c="dimmed">
        Save, then sign in. The server says where.
      </Text>
      <Collapsible
        title="OAuth settings"
        summary={clientId === '' ? 'discovered from the server' : 'a registered app'}
        open={clientId !== ''}
        faulty={hasErrorAt(form.errors, 'oauth')}
      >
        {fields}
      </Collapsible>
    </>
  )
}
