import { publicUrlOf, readConfig } from '../../config.ts'
import { openTrustedFetch } from '../../platform/egress/fetch-through.ts'
import type { Options } from '../command.ts'

/** The service's own API, so that the rules are those of the dashboard. */
export type ManagementApi = AsyncDisposable & {
  list<T>(path: string): Promise<T[]>
  read<T>(path: string): Promise<T>
  send<T>(method: 'POST' | 'PATCH' | 'PUT', path: string, body: unknown): Promise<T>
}

type Problem = { title?: string; detail?: string; errors?: { pointer: string; detail: string }[] }

export function openManagementApi(options: Options): ManagementApi {
  const config = readConfig()
  const url = (options.url ?? publicUrlOf(config)).replace(/\/+$/, '')
  const key = options.key ?? config.apiKey?.reveal()
  if (!key)
    throw new Error(
      'An API key is needed: set API_KEY or give --key. Create one with: npm run bellhop -- key create --name apply --role admin',
    )

  const wire = openTrustedFetch({ headersTimeoutMs: 30_000, idleTimeoutMs: 30_000 })

  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await wire
      .fetch(`${url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      .catch((cause: unknown) => {
        throw new Error(`Bellhop does not answer at ${url}. Start it, or give its address with --url.`, {
          cause,
        })
      })
    // Our own API: JSON of the shapes in the contracts, or a problem.
    const answer = (await response.json().catch((cause: unknown) => {
      throw new Error(
        `${url} answered ${response.status}, and not as Bellhop does. Give the address of Bellhop itself with --url.`,
        { cause },
      )
    })) as T
    if (response.ok) return answer
    // Our own API answers every error with a problem.
    const { title, detail, errors = [] } = answer as Problem
    const fields = errors.map((error) => `\n  ${error.pointer}: ${error.detail}`).join('')
    throw new Error(`${method} ${path} answered ${response.status}: ${title}. ${detail}${fields}`)
  }

  return {
    async list<T>(path: string) {
      const items: T[] = []
      let cursor: string | null = null
      do {
        const page: { items: T[]; nextCursor: string | null } = await call(
          'GET',
          `${path}?limit=100${cursor ? `&cursor=${cursor}` : ''}`,
        )
        items.push(...page.items)
        cursor = page.nextCursor
      } while (cursor)
      return items
    },
    read: (path) => call('GET', path),
    send: (method, path, body) => call(method, path, body),
    [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose](),
  }
}
