import type { OneTimeLink } from './store/links.ts'

export type LinkForPerson = { url: string; expiresAt: string }

/** An address to send to somebody: an invitation or a password reset. The token is in the fragment, which reaches no log on the way. */
export function linkForPerson({ publicUrl }: { publicUrl: string }, link: OneTimeLink): LinkForPerson {
  return { url: `${publicUrl}/link#token=${link.token}`, expiresAt: link.expiresAt.toISOString() }
}
