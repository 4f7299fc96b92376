import type { Role } from '../../contract.ts'

/** From the least to the most. */
export const roles: Role[] = ['member', 'operator', 'admin']

export const roleLabels: Record<Role, string> = { member: 'Member', operator: 'Operator', admin: 'Admin' }

export const roleOptions = roles.map((value) => ({ value, label: roleLabels[value] }))

export const roleDescriptions =
  'Members chat and view runs. Operators also manage connectors and webhooks. Admins can do everything, including approvals.'
