import { Button, PasswordInput, Select, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { changeMeBody } from '../../../../src/accounts/contract.ts'
import { call } from '../../../api.ts'
import type { Me } from '../../../contract.ts'
import { schemaErrors } from '../../../schema-errors.ts'
import { ErrorAlert } from '../../../ui/feedback/error-alert.tsx'
import { notify } from '../../../ui/feedback/notify.ts'
import { fieldErrors } from '../../../ui/forms/field-errors.ts'
import { focusFirst } from '../../../ui/forms/focus-first.ts'
import { Unsaved } from '../../../ui/forms/unsaved.tsx'
import { useDraftForm } from '../../../ui/forms/use-draft-form.ts'
import { setLocale } from '../../../ui/text/locale.ts'
import { useMe } from '../../accounts/use-me.ts'
import { ChatAccounts } from './chat-accounts.tsx'
import { example, languages } from './languages.ts'
import { MentionNotifications } from './mention-notifications.tsx'
import { SecondFactor } from './second-factor.tsx'

export function OwnAccount() {
  const me = useMe()
  const queries = useQueryClient()
  const name = useDraftForm({
    key: 'own-name',
    initialValues: { name: me.name },
    validate: (values) => schemaErrors(changeMeBody, values, values),
  })
  // Not kept: these are passwords.
  const password = useForm({
    initialValues: { currentPassword: '', password: '' },
    validate: (values) => ({
      currentPassword: values.currentPassword === '' ? 'Enter your current password.' : null,
      ...schemaErrors(changeMeBody, values, values),
    }),
  })
  const change = useMutation({
    mutationFn: (patch: Record<string, string | null>) => call<Me>('PATCH', '/me', patch),
    onSuccess: (changed, patch) => {
      queries.setQueryData(['/me'], changed)
      setLocale(changed.locale ?? 'en-US')
      if ('locale' in patch) return notify('Language of dates and numbers saved')
      if ('password' in patch) password.reset()
      else name.markSaved({ name: changed.name })
      notify('password' in patch ? 'Password changed' : 'Name saved')
    },
    onError: (error) => {
      name.setErrors(fieldErrors(error, name.values))
      password.setErrors(fieldErrors(error, password.values))
    },
  })
  return (
    <Stack maw={480} gap="xl">
      <form onSubmit={name.onSubmit((values) => change.mutate(values))} noValidate>
        <Stack>
          <TextInput
            label="Name"
            description="Shown next to what you write and approve."
            autoComplete="name"
            {...name.getInputProps('name')}
          />
          <div>
            <Button type="submit" variant="default" loading={change.isPending}>
              Save name
            </Button>
          </div>
          {name.restored && <Unsaved form={name} />}
        </Stack>
      </form>
      <Select
        label="Dates and numbers"
        description={`For example ${example(me.locale ?? 'en-US')}`}
        data={languages()}
        value={me.locale ?? 'en-US'}
        searchable
        allowDeselect={false}
        onChange={(tag) => change.mutate({ locale: tag === 'en-US' ? null : tag })}
      />
      {me.hasPassword ? (
        <form
          onSubmit={password.onSubmit((values) => change.mutate(values), focusFirst(password))}
          noValidate
        >
          <Stack>
            <Title order={2}>Password</Title>
            <PasswordInput
              label="Current password"
              autoComplete="current-password"
              {...password.getInputProps('currentPassword')}
            />
            <PasswordInput
              label="New password"
              description="At least 12 characters. Ends your other sessions."
              autoComplete="new-password"
              {...password.getInputProps('password')}
            />
            <div>
              <Button type="submit" variant="default" loading={change.isPending}>
                Change password
              </Button>
            </div>
          </Stack>
        </form>
      ) : (
        <Stack>
          <Title order={2}>Password</Title>
          <Text c="dimmed">
            You sign in through your organization and have no password here. An admin can create a link for
            you to set one.
          </Text>
        </Stack>
      )}
      {change.error && <ErrorAlert error={change.error} of={{ ...name.values, ...password.values }} />}
      {/* It is asked for after the password. */}
      {me.hasPassword && <SecondFactor />}
      <MentionNotifications />
      <ChatAccounts />
    </Stack>
  )
}
