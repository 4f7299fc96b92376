import type { Actor } from '../actor.ts'

/** How other slices learn who sends a request; accounts/ does it. */
export type Authentication = {
  /** By session, API key or token. Looked up for each request, so that a changed role or an ended session counts at once. */
  findActor(request: Request, source: string): Promise<Actor | null>
  /** The token of the session that a browser sends; null without one. */
  sessionOf(request: Request): string | null
}
