import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { acceptLinkBody } from '../../../src/accounts/contract.ts'
import { ApiProblem, call } from '../../api.ts'
import type { LinkFacts } from '../../contract.ts'
import { useOneTimeToken } from '../../hooks/use-one-time-token.ts'
import { schemaErrors } from '../../schema-errors.ts'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { fieldErrors } from '../../ui/forms/field-errors.ts'
import { focusFirst } from '../../ui/forms/focus-first.ts'
import { SignedOutPage } from './signed-out-page.tsx'

/** Accepts an invitation or a password reset through a one-time link. */
export default function AcceptLink() {
  const token = useOneTimeToken()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const toBody = ({ name, password }: { name: string; password: string }) => ({
    token,
    password,
    ...(name.trim() ? { name: name.trim() } : {}),
  })
  const form = useForm({
    initialValues: { name: '', password: '' },
    validate: (values) => schemaErrors(acceptLinkBody, toBody(values), values),
  })
  const accept = useMutation({
    mutationFn: (values: typeof form.values) => call('POST', '/links/accept', toBody(values)),
    onSuccess: async () => {
      queries.clear()
      await navigate({ to: '/', replace: true })
    },
    onError: (error) => form.setErrors(fieldErrors(error, form.values)),
  })
  // Not again once it was used, by the form below.
  const facts = useQuery({
    queryKey: ['/links/inspect', token],
    queryFn: ({ signal }) => call<LinkFacts>('POST', '/links/inspect', { token }, signal),
    enabled: token !== null && accept.isIdle,
    refetchOnWindowFocus: false,
  })
  const dead = facts.error instanceof ApiProblem && facts.error.type === 'link-expired' ? facts.error : null
  if (dead && accept.isIdle) return <SignedOutPage title={dead.title} hint={dead.message} />
  if (!token) {
    return (
      <SignedOutPage
        title="This link is incomplete"
        hint="Open the complete link you were given, or ask an admin for a new one."
      />
    )
  }
  return (
    <SignedOutPage
      title={titleOf(facts.data)}
      hint="Choose a password. This link works once; afterwards, sign in with your email address."
    >
      <form onSubmit={form.onSubmit((values) => accept.mutate(values), focusFirst(form))} noValidate>
        <Stack>
          {facts.data && (
            <TextInput label="Email" readOnly autoComplete="username" value={facts.data.email} />
          )}
          <TextInput
            label="Name"
            description="Leave empty to keep the name from your invitation."
            placeholder={facts.data?.name}
            autoComplete="name"
            {...form.getInputProps('name')}
          />
          <PasswordInput
            label="Password"
            description="At least 12 characters."
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
          {accept.error && <ErrorAlert error={accept.error} of={form.values} />}
          <Button type="submit" fullWidth loading={accept.isPending}>
            Save and sign in
          </Button>
        </Stack>
      </form>
    </SignedOutPage>
  )
}

function titleOf(facts: LinkFacts | undefined): string {
  if (!facts || facts.kind === 'password-reset') return 'Choose a password'
  const as = `to Bellhop as ${facts.role === 'member' ? 'a' : 'an'} ${facts.role}`
  return facts.createdBy ? `${facts.createdBy} invites you ${as}` : `You are invited ${as}`
}
