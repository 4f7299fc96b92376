import type { Secret } from '../platform/secret.ts'
import type { Memory } from './memory.ts'

/** How one workspace is reached: what its credentials open, and where. */
export type Connection = {
  credentials: Readonly<Record<string, Secret>>
  /** Another API address, and what `identify` told. */
  settings: Readonly<Record<string, string>>
  /** Guarded; tells rate limits and faults apart (platform-fetch.ts). */
  fetch: typeof globalThis.fetch
  /** Of this connection alone. */
  memory: Memory
  /** Where people read a whole approval when the platform has room for a part only. */
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

export function credential({ credentials }: Connection, name: string): string {
  const secret = credentials[name]
  if (!secret) throw new Error(`The workspace has no ${name}.`)
  return secret.reveal()
}
