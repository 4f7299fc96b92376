import type { Capability, Permission } from '../../contract.ts'

export const permissionLabels: Record<Permission, string> = {
  auto: 'Runs without approval',
  approve: 'Admin approves',
  confirm: 'Admin confirms',
  off: 'Turned off',
}

export const defaultPermission: Record<Capability, Permission> = {
  read: 'auto',
  write: 'approve',
  destructive: 'confirm',
}

/** From the loosest to the strictest: only an admin may go below the default. */
export const permissionOrder: Permission[] = ['auto', 'approve', 'confirm', 'off']

/** From the mildest: only an admin may go below what is saved. */
export const capabilityOrder: Capability[] = ['read', 'write', 'destructive']
