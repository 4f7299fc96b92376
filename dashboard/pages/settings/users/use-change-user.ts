import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../../api.ts'
import type { Role, User } from '../../../contract.ts'
import { useQuickChange } from '../../../hooks/use-quick-change.ts'
import { remainingKeys } from './remaining-keys.ts'

type UserPatch = { role: Role } | { disabled: boolean }

export function useChangeUser(user: User) {
  const queries = useQueryClient()
  const { requested, change } = useQuickChange({
    id: user.id,
    save: (patch: UserPatch) => call<User>('PATCH', `/users/${user.id}`, patch),
    refresh: () => queries.invalidateQueries({ queryKey: ['/users'] }),
  })
  const words = `${user.name} was updated.`
  const wordsFor = (staysAdmin: boolean) => (staysAdmin ? words : `${words} ${remainingKeys(user)}`.trim())
  return {
    role: requested && 'role' in requested ? requested.role : user.role,
    setRole: (role: Role) => change({ role }, wordsFor(role === 'admin')),
    setDisabled: (disabled: boolean) => change({ disabled }, wordsFor(!disabled)),
  }
}
