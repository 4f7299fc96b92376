import { basePath } from './base-path.ts'
import { parseExactly } from './ui/text/parse-exactly.ts'

/** What went wrong, as the server tells it (RFC 9457). */
export class ApiProblem extends Error {
  readonly type: string
  readonly status: number
  readonly title: string
  readonly instance: string | undefined
  readonly errors: FieldError[]

  constructor(body: ProblemBody) {
    super(body.detail ?? body.title)
    this.name = 'ApiProblem'
    this.type = body.type
    this.status = body.status
    this.title = body.title
    this.instance = body.instance
    this.errors = body.errors ?? []
  }
}

export type FieldError = { pointer: string; detail: string }
type ProblemBody = {
  type: string
  title: string
  status: number
  detail?: string
  instance?: string
  errors?: FieldError[]
}

/** A list as the server pages it. */
export type Paged<T> = { items: T[]; nextCursor: string | null }

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
type Filters = Record<string, string | number | boolean | null | undefined>

/** `withQuery('/runs', { status: 'failed' })` → `/runs?status=failed`. Unset filters are left out. */
export function withQuery(path: string, filters: Filters): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) {
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value))
  }
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}

/** The only way to the server. Every answer that is not 2xx becomes an `ApiProblem`. */
export async function call<T>(
  method: Method,
  path: string,
  body?: unknown,
  options: AbortSignal | { ifMatch?: string } = {},
): Promise<T> {
  const response = await send(method, path, body, options)
  if (!response.ok) throw await problemOf(response)
  if (response.status === 204) return undefined as T // an endpoint without an answer is called as call<void>
  return parseExactly(await response.text()) as T // same origin, same release: the shapes are those of src/*/contract.ts
}

/** For answers that are bytes and not JSON. */
export async function download(path: string): Promise<ArrayBuffer> {
  const response = await send('GET', path)
  if (!response.ok) throw await problemOf(response)
  return response.arrayBuffer()
}

/** A file as the body, whatever it is. */
export async function upload<T>(path: string, file: Blob): Promise<T> {
  const response = await fetch(apiUrl(path), { method: 'POST', credentials: 'same-origin', body: file })
  if (!response.ok) throw await problemOf(response)
  return (await response.json()) as T // as `call`
}

export const apiUrl = (path: string) => `${basePath}/api/v1${path}`

/** `ifMatch`: the digest of what the reader has seen; if that is another one by now, nothing is done. */
async function send(
  method: Method,
  path: string,
  body?: unknown,
  options: AbortSignal | { ifMatch?: string } = {},
): Promise<Response> {
  const signal = options instanceof AbortSignal ? options : undefined
  const text = body === undefined ? undefined : JSON.stringify(body)
  try {
    return await fetch(apiUrl(path), {
      method,
      credentials: 'same-origin',
      ...(text === undefined ? {} : { body: text }),
      headers: {
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        ...('ifMatch' in options && options.ifMatch ? { 'if-match': `"${options.ifMatch}"` } : {}),
      },
      ...(signal ? { signal } : {}),
    })
  } catch (cause) {
    if (signal?.aborted) throw cause
    throw unreachable()
  }
}

/** Whether the server and its database are up. */
export function serverAnswers(): Promise<boolean> {
  return fetch(`${basePath}/readyz`, { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** For something that cannot be loaded: if the server is down, that is the reason. */
export async function orUnreachable(error: unknown): Promise<never> {
  throw (await serverAnswers()) ? error : unreachable()
}

function unreachable(): ApiProblem {
  return new ApiProblem({
    type: 'unreachable',
    title: 'Cannot reach Bellhop',
    status: 0,
    detail: 'The server may be restarting, or your network may be down. Nothing you typed is lost.',
  })
}

async function problemOf(response: Response): Promise<ApiProblem> {
  const type = response.headers.get('content-type') ?? ''
  if (type.includes('json')) {
    // The server answers every refusal as problem+json; for anything else the sentence below is used.
    const body = (await response.json().catch(() => null)) as ProblemBody | null
    if (body?.title) return new ApiProblem({ ...body, status: response.status })
  }
  return new ApiProblem({
    type: 'unreadable',
    title: `Unexpected response (${response.status})`,
    status: response.status,
    detail: 'The response did not come from Bellhop. A proxy in between may have sent it. Try again.',
  })
}
