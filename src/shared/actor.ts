/** Roles contain each other: an admin may do what an operator may, an operator what a member may. */
export const roles = ['member', 'operator', 'admin'] as const
export type Role = (typeof roles)[number]

/** Who acts. */
export type Actor = {
  /** `user` is a signed-in person, `api-key` a program, `system` Bellhop itself. */
  kind: 'user' | 'api-key' | 'system' | 'anonymous'
  id: string
  name: string
  role: Role | 'none'
}

/** Who asks, and from where. */
export type Caller = { actor: Actor; source: string }

export const systemActor: Actor = { kind: 'system', id: 'system', name: 'Bellhop', role: 'admin' }
export const anonymousActor: Actor = { kind: 'anonymous', id: 'anonymous', name: 'Somebody', role: 'none' }

export function mayActAs(actor: Actor, role: Role): boolean {
  return actor.role !== 'none' && roles.indexOf(actor.role) >= roles.indexOf(role)
}
