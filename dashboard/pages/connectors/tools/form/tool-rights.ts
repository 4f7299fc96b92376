import type { Capability, Permission } from '../../../../contract.ts'
import { capabilityOrder, defaultPermission, permissionOrder } from '../../../tools/permission-labels.ts'

type Rights = { method: string | null; capability: Capability; permission: Permission | '' }

/** The server's rules for people who are not admins, as messages at the fields: what it would refuse is not sent. */
export function rightsProblems(
  before: Rights | null,
  after: Rights,
): { capability?: string; permission?: string } {
  const { capability, permission, method } = after
  return {
    ...(before && capabilityOrder.indexOf(capability) < capabilityOrder.indexOf(before.capability)
      ? { capability: `Only admins can lower the capability from ${before.capability} to ${capability}.` }
      : capability === 'read' && method !== null && method !== 'GET' && method !== 'HEAD'
        ? { capability: `Only admins can mark a ${method} tool as read.` }
        : {}),
    ...(permission !== '' && isLooser(permission, capability)
      ? { permission: `Only admins can relax the default permission of a ${capability} tool.` }
      : {}),
  }
}

/** Whether only an admin may declare it like this, or change it. */
export function isForAdmins(rights: Rights): boolean {
  return Object.keys(rightsProblems(null, rights)).length > 0
}

export function isLooser(permission: Permission, capability: Capability): boolean {
  return permissionOrder.indexOf(permission) < permissionOrder.indexOf(defaultPermission[capability])
}
