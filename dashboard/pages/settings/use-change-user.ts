import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import type { Role, User } from '../../contract.ts'
import { useUndoable } from '../../use-undoable.ts'

type UserPatch = { role: Role } | { disabled: boolean }

export function useChangeUser(user: User) {
  const queries = useQueryClient()
  const { wish, change } = useUndoable({
    id: user.id,
    save: (patch: UserPatch) => call<User>('PATCH', `/users/${user.id}`, patch),
    refresh: () => queries.invalidateQueries({ queryKey: ['/users'] }),
  })
  const words = `${user.name}: saved, and in force.`
  return {
    role: wish && 'role' in wish ? wish.role : user.role,
    setRole: (role: Role) => change({ patch: { role }, words, back: { role: user.role } }),
    setDisabled: (disabled: boolean) => change({ patch: { disabled }, words, back: { disabled: !disabled } }),
  }
}
