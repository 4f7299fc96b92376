import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { setupBody } from '../../../src/accounts/contract.ts'
import { call } from '../../api.ts'
import { useOneTimeToken } from '../../hooks/use-one-time-token.ts'
import { schemaErrors } from '../../schema-errors.ts'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { useDraftForm } from '../../ui/forms/use-draft-form.ts'
import { SignedOutPage } from './signed-out-page.tsx'

type Values = { name: string; email: string; password: string; token: string }

/** The page of the one-time link that the first start prints. */
export default function Setup() {
  const token = useOneTimeToken()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const setup = useQuery({
    queryKey: ['/setup'],
    queryFn: ({ signal }) => call<{ needed: boolean }>('GET', '/setup', undefined, signal),
  })
  const toBody = (values: Values) => ({ ...values, token: token || values.token })
  const form = useDraftForm<Values>({
    key: 'setup',
    initialValues: { name: '', email: '', password: '', token: '' },
    withoutSecrets: (values) => ({ ...values, password: '', token: '' }),
    validate: (values) => ({
      ...schemaErrors(setupBody, toBody(values), values),
      token: token || values.token ? null : 'Open the link that the server printed, or paste its token.',
    }),
  })
  const create = useMutation({
    mutationFn: (values: Values) => call('POST', '/setup', toBody(values)),
    onSuccess: async () => {
      form.discard()
      queries.clear()
      await navigate({ to: '/start', replace: true })
    },
    onError: form.showErrors,
  })
  if (setup.data && !setup.data.needed) {
    return (
      <SignedOutPage title="Setup is complete" hint="The first admin account already exists.">
        <Anchor component={Link} to="/sign-in">
          Sign in
        </Anchor>
      </SignedOutPage>
    )
  }
  return (
    <SignedOutPage
      title="Welcome to Bellhop"
      hint="Create the first admin account. You set up everything else in the dashboard."
    >
      <form onSubmit={form.onSubmit((values) => create.mutate(values))} noValidate>
        <Stack>
          <TextInput label="Name" autoComplete="name" autoFocus {...form.getInputProps('name')} />
          <TextInput label="Email" type="email" autoComplete="username" {...form.getInputProps('email')} />
          <PasswordInput
            label="Password"
            description="At least 12 characters. A few random words are easy to remember."
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
          {!token && (
            <TextInput
              label="Setup token"
              description="The part after token= in the link that the server printed at startup."
              {...form.getInputProps('token')}
            />
          )}
          {create.error && (
            <ErrorAlert
              error={create.error}
              of={token ? { ...form.values, token: undefined } : form.values}
            />
          )}
          <Button type="submit" fullWidth loading={create.isPending}>
            Create admin account
          </Button>
          <Text size="xs" c="dimmed">
            No email is sent, and nothing leaves this server.
          </Text>
        </Stack>
      </form>
    </SignedOutPage>
  )
}
