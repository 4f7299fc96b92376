import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../../api.ts'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { SignedOutPage } from './signed-out-page.tsx'

/** After the provider: the code of the second factor that the person has switched on here. */
export function SecondStep({ to }: { to: string }) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const form = useForm({
    initialValues: { code: '' },
    validate: { code: (value) => (value.trim() === '' ? 'Type the code.' : null) },
  })
  const signIn = useMutation({
    mutationFn: (values: typeof form.values) => call('POST', '/session/oidc/code', values),
    onSuccess: async () => {
      queries.clear()
      await navigate({ to, replace: true })
    },
  })
  return (
    <SignedOutPage title="Sign in" hint="Your provider has confirmed who you are. One more step.">
      <form onSubmit={form.onSubmit((values) => signIn.mutate(values))} noValidate>
        <Stack>
          <TextInput
            label="Code"
            description="Six digits from your authenticator app, or one of your recovery codes."
            autoComplete="one-time-code"
            autoFocus
            {...form.getInputProps('code')}
          />
          {signIn.error && <ErrorAlert error={signIn.error} />}
          <Button type="submit" fullWidth loading={signIn.isPending}>
            Sign in
          </Button>
          <Button component="a" href="?" variant="subtle" fullWidth>
            Sign in another way
          </Button>
        </Stack>
      </form>
    </SignedOutPage>
  )
}
