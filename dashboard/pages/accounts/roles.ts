import type { Role } from '../../contract.ts'

/** From the least to the most. */
export const roles: Role[] = ['member', 'operator', 'admin']

export const roleDescriptions =
  'Members chat and see runs. Operators also manage connectors and webhooks. Admins do everything and decide approvals.'
