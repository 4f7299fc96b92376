/** Who acts. Roles contain each other: an admin may do what an operator may, an operator what a member may. */
export const roles = ['member', 'operator', 'admin'] as const
export type Role = (typeof roles)[number]

export type Actor = {
  /** `user` is a person with a session, `api-key` a program, `system` Bellhop itself. */
  kind: 'user' | 'api-key' | 'system'
  id: string
  name: string
  role: Role
}

export function mayActAs(actor: Actor, role: Role): boolean {
  return roles.indexOf(actor.role) >= roles.indexOf(role)
}

export const systemActor: Actor = { kind: 'system', id: 'system', name: 'Bellhop', role: 'admin' }
