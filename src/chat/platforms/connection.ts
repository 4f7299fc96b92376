import type { Secret } from '../../platform/secret.ts'
import type { Cache } from '../cache.ts'
import { PlatformError } from './platform-error.ts'

/** How to reach one workspace: its credentials and addresses. */
export type Connection = {
  credentials: Readonly<Record<string, Secret>>
  /** They cannot be decrypted, because their encryption key is gone. */
  areLost?: boolean
  /** Another API address, and what `identify` returned. */
  settings: Readonly<Record<string, string>>
  /** Guarded; distinguishes rate limits from other failures (platform-fetch.ts). */
  fetch: typeof globalThis.fetch
  /** A cache for this connection alone. */
  cache: Cache
  /** Where people read a whole approval that is too long for the platform. */
  publicUrl: string
  /** Where the platform sends its requests. */
  eventsUrl: string
}

export function eventsUrlOf(
  { publicUrl }: { publicUrl: string },
  { platform, id }: { platform: string; id: string },
): string {
  return `${publicUrl}/chat/${platform}/${id}`
}

/** Where the platform's API is; ends with a slash. */
export function apiUrl({ settings }: Connection, usual: string): string {
  return (settings.apiUrl ?? usual).replace(/\/*$/, '/')
}

/** A draft lacks it. Nothing was sent then, and it can be sent once somebody enters it. */
export function credential({ credentials, areLost }: Connection, name: string): string {
  const secret = credentials[name]
  if (areLost) throw new PlatformError('down', lostCredentials)
  if (!secret) throw new PlatformError('down', `The workspace is a draft: it has no ${name}.`)
  return secret.reveal()
}

export const lostCredentials =
  'The secrets of the workspace cannot be decrypted, because their encryption key is gone. Enter them again under Settings → Workspaces.'
