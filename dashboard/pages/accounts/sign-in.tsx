import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Navigate, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiProblem, call } from '../../api.ts'
import { useFilter } from '../../hooks/use-filter.ts'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { focusFirst } from '../../ui/forms/focus-first.ts'
import { localRedirect } from './local-redirect.ts'
import { ProviderSignIn } from './provider-sign-in.tsx'
import { SecondStep } from './second-step.tsx'
import { SignedOutPage } from './signed-out-page.tsx'

export default function SignIn() {
  const [to] = useFilter('to')
  const [step] = useFilter('step')
  const navigate = useNavigate()
  const queries = useQueryClient()
  const setup = useQuery({
    queryKey: ['/setup'],
    queryFn: ({ signal }) =>
      call<{ needed: boolean; oidc: string | null }>('GET', '/setup', undefined, signal),
  })
  const form = useForm({
    initialValues: { email: '', password: '', code: '' },
    validate: {
      email: (value) => (value.includes('@') ? null : 'Enter your email address.'),
      password: (value) => (value === '' ? 'Enter your password.' : null),
    },
  })
  const signIn = useMutation({
    mutationFn: ({ email, password, code }: typeof form.values) =>
      call('POST', '/session', { email: email.trim(), password, ...(code ? { code } : {}) }),
    onSuccess: async () => {
      queries.clear()
      // The browser's back button must not lead to the sign-in page again.
      await navigate({ to: localRedirect(to), replace: true })
    },
  })
  const refusal = signIn.error instanceof ApiProblem ? signIn.error.type : null
  // The code is asked for once the password was right, so any later failure is about the code.
  const [wantsCode, setWantsCode] = useState(false)
  if (refusal === 'second-factor-required' && !wantsCode) setWantsCode(true)
  const wrongCode = wantsCode && refusal === 'sign-in-failed'
  if (setup.data?.needed) return <Navigate to="/setup" />
  if (step === 'code') return <SecondStep to={localRedirect(to)} />
  return (
    <SignedOutPage title="Sign in" hint={to ? 'You will return to the page you were on.' : undefined}>
      <form onSubmit={form.onSubmit((values) => signIn.mutate(values), focusFirst(form))} noValidate>
        <Stack>
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            autoFocus
            {...form.getInputProps('email')}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            {...form.getInputProps('password')}
          />
          {wantsCode && (
            <TextInput
              label="Code"
              description="Six digits from your authenticator app, or a recovery code."
              autoComplete="one-time-code"
              autoFocus
              {...form.getInputProps('code')}
              error={
                wrongCode
                  ? 'Incorrect code. Each code works once, so wait for the next one. If it fails again, check your password.'
                  : null
              }
            />
          )}
          {signIn.error && refusal !== 'second-factor-required' && !wrongCode && (
            <ErrorAlert error={signIn.error} />
          )}
          <Button type="submit" fullWidth loading={signIn.isPending}>
            Sign in
          </Button>
          {!setup.isPending && <ProviderSignIn name={setup.data?.oidc ?? null} to={localRedirect(to)} />}
        </Stack>
      </form>
    </SignedOutPage>
  )
}
