import type { JSONWebKeySet } from 'jose'
import { z } from 'zod'
import type { Connection } from './connection.ts'

const keysShape = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })

/** Microsoft's own client, too, looks once an hour at most for a key that it does not know. */
export const keysMs = 60 * 60_000

/** The public keys of those who sign a platform's requests. */
export async function findSigningKeys(connection: Connection, url: string): Promise<JSONWebKeySet> {
  return connection.cache.getOrFetch(`keys ${url}`, keysMs, async () => {
    const answer = await connection.fetch(url)
    // jose checks each key when it is used.
    return keysShape.parse(await answer.json()) as JSONWebKeySet
  })
}
