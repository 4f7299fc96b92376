import { z } from 'zod'
import type { Connection } from './connection.ts'
import { PlatformError } from './platform-error.ts'

type Asked = {
  /** The platform's name for people. */
  platform: string
  /** The name of the credential we authenticate with, for people. */
  credential: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  url: URL
  headers: Record<string, string>
  body: unknown
  /** In place of a body: a form with files. */
  form?: FormData
}

const reason = z.looseObject({ message: z.string(), code: z.number().optional().catch(undefined) })
/** Google nests it one level deeper. */
const reasonShape = z.union([reason, z.looseObject({ error: reason }).transform(({ error }) => error)])

/** Calls a platform's JSON API and turns failures into `PlatformError`. */
export async function callRest(connection: Connection, asked: Asked): Promise<unknown> {
  const { platform, method, url, headers } = asked
  const { type, bytes } = await write(asked)
  const response = await connection.fetch(url, {
    method,
    headers: { ...headers, 'content-type': type },
    ...(bytes === undefined ? {} : { body: bytes }),
  })
  const answer: unknown = response.status === 204 ? {} : await response.json().catch(() => null)
  if (response.ok && answer !== null) return answer
  if (response.ok) throw new PlatformError('uncertain', `${platform} sent no valid response.`)
  if (response.status === 401) {
    throw new PlatformError('revoked', `${platform} does not accept the ${asked.credential}.`)
  }
  const { message, code } = reasonShape.safeParse(answer).data ?? {}
  throw new PlatformError('refused', `${platform} refused it: ${message || response.status}`, { code })
}

async function write({
  body,
  form,
}: Asked): Promise<{ type: string; bytes?: string | Uint8Array<ArrayBuffer> }> {
  if (!form) {
    const type = 'application/json'
    return body === undefined ? { type } : { type, bytes: JSON.stringify(body) }
  }
  // The boundary between its parts is in the type.
  const written = new Response(form)
  return {
    type: written.headers.get('content-type') ?? 'multipart/form-data',
    bytes: new Uint8Array(await written.arrayBuffer()),
  }
}
