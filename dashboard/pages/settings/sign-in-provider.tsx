import { Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { configureOidcBody } from '../../../src/accounts/contract.ts'
import { call } from '../../api.ts'
import type { OidcProvider, OidcState } from '../../contract.ts'
import { useOne } from '../../hooks/use-api.ts'
import { schemaErrors } from '../../schema-errors.ts'
import { RawView } from '../../ui/code/raw-view.tsx'
import { ConfirmButton } from '../../ui/feedback/confirm-button.tsx'
import { notify, notifyProblem } from '../../ui/feedback/notify.ts'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { FormFoot } from '../../ui/forms/form-foot.tsx'
import { mergeServerValues } from '../../ui/forms/merge-server-values.ts'
import { SecretInput } from '../../ui/forms/secret-input.tsx'
import { useDraftForm } from '../../ui/forms/use-draft-form.ts'

export function SignInProvider() {
  const state = useOne<OidcState>('/oidc')
  return <QueryView query={state}>{(value) => <ProviderForm state={value} />}</QueryView>
}

function ProviderForm({ state }: { state: OidcState }) {
  const queries = useQueryClient()
  const refresh = () => queries.invalidateQueries({ queryKey: ['/oidc'] })
  const form = useDraftForm({
    key: 'settings:oidc',
    initialValues: toValues(state.provider),
    withoutSecrets: (values) => ({ ...values, clientSecret: '' }),
    validate: (values) =>
      schemaErrors(configureOidcBody, toBody(values, toValues(state.provider), null), values),
  })
  const save = useMutation({
    mutationFn: async (values: Values) => {
      const { provider } = await call<OidcState>('GET', '/oidc')
      return call<OidcProvider>('PUT', '/oidc', toBody(values, toValues(state.provider), provider))
    },
    onSuccess: (saved) => {
      form.markSaved(toValues(saved))
      notify('Saved. The sign-in page now offers it.')
      void refresh()
    },
    onError: form.showErrors,
  })
  const remove = useMutation({
    mutationFn: () => call<void>('DELETE', '/oidc'),
    onSuccess: () => {
      form.discard(toValues(null))
      notify('Sign-in provider removed')
    },
    onError: notifyProblem,
    onSettled: refresh,
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack maw={720}>
        <Text c="dimmed">
          Let people sign in through your own OpenID Connect provider. Email and password keep working.
        </Text>
        <RawView what="Redirect URI to register with the provider" text={state.redirectUri} />
        <TextInput
          label="Name"
          description="Shown on the button: Sign in with …"
          {...form.getInputProps('name')}
        />
        <TextInput label="Issuer" placeholder="https://id.example.com" {...form.getInputProps('issuer')} />
        <TextInput label="Client ID" {...form.getInputProps('clientId')} />
        <SecretInput
          label="Client secret"
          description="Stored encrypted and never shown again."
          isSet={state.provider !== null}
          {...form.getInputProps('clientSecret')}
        />
        <Select
          label="People without an invitation"
          allowDeselect={false}
          data={[
            { value: '', label: 'Cannot sign in' },
            { value: 'member', label: 'Become members' },
            { value: 'operator', label: 'Become operators' },
          ]}
          {...form.getInputProps('newUsersRole')}
        />
        <FormFoot save="Save" form={form} saving={save}>
          {state.provider && (
            <ConfirmButton
              size="sm"
              question="Remove the sign-in provider?"
              text="People without a password will need a reset link to sign in."
              confirm="Remove provider"
              action={remove}
            >
              Remove
            </ConfirmButton>
          )}
        </FormFoot>
      </Stack>
    </form>
  )
}

type Values = ReturnType<typeof toValues>

/**
 * The whole provider, as `now` except for what was typed, since somebody else may have changed the rest meanwhile. A secret that was
 * typed was meant for the issuer that was shown.
 */
function toBody(values: Values, before: Values, now: OidcProvider | null) {
  const merged = now ? mergeServerValues(values, before, toValues(now)) : values
  const { clientSecret, newUsersRole, ...rest } = merged
  return {
    ...rest,
    ...(clientSecret === '' ? {} : { issuer: values.issuer, clientId: values.clientId, clientSecret }),
    newUsersRole: newUsersRole === '' ? null : newUsersRole,
  }
}

function toValues(provider: OidcProvider | null) {
  return {
    name: provider?.name ?? '',
    issuer: provider?.issuer ?? '',
    clientId: provider?.clientId ?? '',
    clientSecret: '',
    newUsersRole: provider?.newUsersRole ?? '',
  }
}
