import { Select } from '@mantine/core'
import type { Role, User } from '../../../contract.ts'
import { roleLabels, roleOptions } from '../../accounts/roles.ts'
import { useMe } from '../../accounts/use-me.ts'
import { useChangeUser } from './use-change-user.ts'

/** Anybody's role can be changed except one's own. */
export function UserRole({ user }: { user: User }) {
  const { role, setRole } = useChangeUser(user)
  const me = useMe()
  if (user.id === me.id) return roleLabels[user.role]
  return (
    <Select
      size="xs"
      w={104}
      aria-label={`Role of ${user.name}`}
      data={roleOptions}
      allowDeselect={false}
      value={role}
      onChange={(chosen) => chosen && setRole(chosen as Role)} // the select offers roles only
    />
  )
}
