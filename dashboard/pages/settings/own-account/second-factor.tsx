import {
  Anchor,
  Button,
  Code,
  Group,
  PasswordInput,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { call } from '../../../api.ts'
import { useStillOnPage } from '../../../hooks/use-still-on-page.ts'
import { useTabState } from '../../../hooks/use-tab-state.ts'
import { ErrorAlert } from '../../../ui/feedback/error-alert.tsx'
import { notify } from '../../../ui/feedback/notify.ts'
import { StatusBadge } from '../../../ui/feedback/status-badge.tsx'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { OneTimeValue } from '../../../ui/text/one-time-value.tsx'
import { useMe } from '../../accounts/use-me.ts'

const QrCode = lazy(async () => ({ default: (await import('qrcode.react')).QRCodeSVG }))

/** Its place is kept while it loads: the button below must not move under somebody's pointer. */
const qrSize = 184

const madeCodes = ['made-recovery-codes']

/** A code from an authenticator app at sign-in. */
export function SecondFactor() {
  const me = useMe()
  const queries = useQueryClient()
  const isStillOnPage = useStillOnPage()
  const [password, setPassword] = useState('')
  // Kept for somebody who leaves the page before the answer comes. If it never comes, new ones are made with another code.
  const codes = useTabState<string | null>(madeCodes, null)
  const refresh = () => queries.invalidateQueries({ queryKey: ['/me'] })
  const enrol = useMutation({
    mutationFn: () => call<{ secret: string; url: string }>('POST', '/me/totp', { password }),
    onSuccess: () => setPassword(''),
    // It may have been switched on meanwhile.
    onError: refresh,
  })
  const confirm = useMutation({
    mutationFn: (code: string) => call<{ recoveryCodes: string[] }>('POST', '/me/totp/confirm', { code }),
    onSuccess: ({ recoveryCodes }) => {
      queries.setQueryData(madeCodes, recoveryCodes.join('\n'))
      if (!isStillOnPage()) notify('Recovery codes created. Open Settings → Your account to copy them.')
    },
    onSettled: refresh,
  })
  const disable = useMutation({
    mutationFn: () => call<void>('DELETE', '/me/totp', { password }),
    onSuccess: () => {
      setPassword('')
      enrol.reset()
      confirm.reset()
      return refresh()
    },
  })
  const error = enrol.error ?? disable.error
  return (
    <Stack>
      <Group gap={8}>
        <Title order={2}>Two-factor authentication</Title>
        <StatusBadge tone={me.totp ? 'good' : 'idle'} word={me.totp ? 'on' : 'off'} />
      </Group>
      {me.totp && (
        <CodeForm
          description="From your authenticator app. Your current recovery codes stop working."
          action="Create new recovery codes"
          confirm={confirm}
        />
      )}
      {enrol.data && !me.totp ? (
        <>
          <Text>
            Scan this code with your authenticator app, then enter the six digits it shows. On a phone,{' '}
            <Anchor href={enrol.data.url}>open it in the app</Anchor>. You can also enter the key by hand.
          </Text>
          <Group gap="md">
            {/* Black on white in dark mode too, with its quiet zone: some cameras read nothing else. */}
            <Suspense fallback={<Skeleton width={qrSize} height={qrSize} />}>
              <QrCode
                value={enrol.data.url}
                size={qrSize}
                marginSize={4}
                title="QR code for the authenticator app"
              />
            </Suspense>
            <Group gap={4}>
              <Code fz={14}>{enrol.data.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</Code>
              <CopyButton value={enrol.data.secret} what="key" />
            </Group>
          </Group>
          <CodeForm action="Turn on" confirm={confirm} />
        </>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (me.totp) disable.mutate()
            else enrol.mutate()
          }}
        >
          <Group align="flex-end" gap={8}>
            <PasswordInput
              label="Your password"
              description={
                me.totp
                  ? 'Required to turn off two-factor authentication.'
                  : 'Required to set up an authenticator app.'
              }
              autoComplete="current-password"
              w={280}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
            <Button
              type="submit"
              variant="default"
              disabled={password === ''}
              loading={enrol.isPending || disable.isPending}
            >
              {me.totp ? 'Turn off' : 'Set up'}
            </Button>
          </Group>
        </form>
      )}
      {error && <ErrorAlert error={error} />}
      <OneTimeValue
        title="Save your recovery codes"
        text="Each code signs you in once if you lose your authenticator app. They are shown only once, and earlier codes no longer work."
        what="recovery codes"
        value={codes}
        onClose={() => queries.setQueryData(madeCodes, null)}
      />
    </Stack>
  )
}

type CodeFormProps = {
  action: string
  description?: string
  confirm: Pick<UseMutationResult<unknown, Error, string>, 'mutate' | 'error' | 'isPending'>
}

function CodeForm({ action, description, confirm }: CodeFormProps) {
  const [code, setCode] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        confirm.mutate(code, { onSuccess: () => setCode('') })
      }}
    >
      <Group align="flex-end" gap={8}>
        <TextInput
          label="Code"
          description={description}
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          error={confirm.error?.message}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={code.trim() === ''} loading={confirm.isPending}>
          {action}
        </Button>
      </Group>
    </form>
  )
}
