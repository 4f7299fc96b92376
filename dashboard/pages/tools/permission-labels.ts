import type { Capability, Permission } from '../../contract.ts'

export const permissionLabels: Record<Permission, string> = {
  auto: 'runs at once',
  approve: 'an admin approves',
  confirm: 'an admin confirms',
  off: 'is switched off',
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
