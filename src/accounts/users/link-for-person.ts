import type { Actor } from '../../shared/actor.ts'
import type { OneTimeLink } from '../store/links.ts'

export type LinkForPerson = { url: string; expiresAt: string }

/**
 * A URL to send to somebody: an invitation or a password reset. The token is in the fragment, which no server logs.
 */
export function linkForPerson({ publicUrl }: { publicUrl: string }, link: OneTimeLink): LinkForPerson {
  return { url: `${publicUrl}/link#token=${link.token}`, expiresAt: link.expiresAt.toISOString() }
}

/** Whom the person should know who opens the link. */
export function nameOfPerson({ actor }: { actor: Actor }): string | null {
  return actor.kind === 'user' ? actor.name : null
}
