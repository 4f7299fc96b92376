import {
  type Capability,
  capabilities,
  defaultPermission,
  type Permission,
  permissions,
} from '../contract.ts'

type Rights = { method: string | null; capability: Capability; permission: Permission | null }

/** Why only an admin may save this tool in this form, or null. Pure on purpose: specification 2.4 depends on it. */
export function judgeToolChange(before: Rights | null, after: Rights): string | null {
  if (before && capabilities.indexOf(after.capability) < capabilities.indexOf(before.capability)) {
    return `Only an admin may lower the capability from ${before.capability} to ${after.capability}.`
  }
  return whyAdminOnly(after)
}

/** Why only an admin may declare a tool like this. Others may not change such a tool either. */
export function whyAdminOnly({ method, capability, permission }: Rights): string | null {
  const usual = defaultPermission[capability]
  if (permission !== null && permissions.indexOf(permission) < permissions.indexOf(usual)) {
    return `Only an admin may let a ${capability} tool run with the permission "${permission}"; the usual one is "${usual}".`
  }
  if (capability === 'read' && method !== null && method !== 'GET' && method !== 'HEAD') {
    return `Only an admin may declare a ${method} tool as read.`
  }
  return null
}
