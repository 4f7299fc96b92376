import { Group, Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../../api.ts'
import type { User } from '../../../contract.ts'
import { useAction } from '../../../hooks/use-action.ts'
import { askToConfirm } from '../../../ui/feedback/ask-to-confirm.ts'
import { notifyProblem } from '../../../ui/feedback/notify.ts'
import { MoreMenu } from '../../../ui/layout/more-menu.tsx'
import { useMe } from '../../accounts/use-me.ts'
import { remainingKeys } from './remaining-keys.ts'
import { useChangeUser } from './use-change-user.ts'

type Props = { user: User; onLink: (url: string) => void; onSessions: () => void }

export function UserMenu({ user, onLink, onSessions }: Props) {
  const me = useMe()
  const { setDisabled } = useChangeUser(user)
  const reset = useMutation({
    mutationFn: () => call<{ url: string }>('POST', `/users/${user.id}/reset-link`),
    onSuccess: ({ url }) => onLink(url),
    onError: notifyProblem,
  })
  const remove = useAction(() => call<void>('DELETE', `/users/${user.id}`), {
    words: `${user.name} was removed`,
    changes: ['/users'],
  })
  const removeTotp = useAction(() => call<void>('DELETE', `/users/${user.id}/totp`), {
    words: `Two-factor authentication is off for ${user.name}`,
    changes: ['/users'],
  })
  return (
    <Group gap={0}>
      <MoreMenu what={user.name} variant="subtle" size={28}>
        <Menu.Item onClick={() => reset.mutate()}>
          {user.status === 'invited' ? 'New invitation link' : 'Password reset link'}
        </Menu.Item>
        <Menu.Item onClick={onSessions}>Sessions</Menu.Item>
        {user.totp && (
          <Menu.Item
            onClick={() =>
              askToConfirm({
                title: `Turn off two-factor authentication for ${user.name}?`,
                text: 'They can then sign in with their password alone. Only they can set it up again.',
                action: 'Turn off',
                onConfirm: () => removeTotp.mutate(),
              })
            }
          >
            Turn off two-factor authentication
          </Menu.Item>
        )}
        {user.id !== me.id && (
          <>
            <Menu.Item onClick={() => setDisabled(user.status !== 'disabled')}>
              {user.status === 'disabled' ? 'Enable' : 'Disable'}
            </Menu.Item>
            <Menu.Item
              c="var(--bad)"
              onClick={() =>
                askToConfirm({
                  title: `Remove ${user.name}?`,
                  text: `They are signed out immediately and need a new invitation to return. Their actions stay in the audit log. ${remainingKeys(user)}`,
                  action: 'Remove user',
                  onConfirm: () => remove.mutate(),
                })
              }
            >
              Remove
            </Menu.Item>
          </>
        )}
      </MoreMenu>
    </Group>
  )
}
