import { insertUser } from '../../src/accounts/store/users.ts'
import { type App, type Facts, startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createLog, type Log } from '../../src/platform/log.ts'
import { checkAnswer } from './check-answer.ts'
import { easyHash } from './easy-hash.ts'
import { freePort } from './free-port.ts'
import { createTestDatabase } from './test-database.ts'

export const testApiKey = 'blh_test_admin_key_of_the_test_suite_0001'
export const testEncryptionKey = Buffer.alloc(32, 7).toString('base64')
/** For an app that several tests share: each starts its own servers, on ports that are not known before. */
export const loopback = { EGRESS_PRIVATE_EXCEPTIONS: '127.0.0.0/8' }

type Options = {
  /** Further environment variables, as an operator would set them. */
  env?: Record<string, string>
  /** Somebody who is there from the start, and signs in with a password that is checked in no time. */
  admin?: { email: string; password: string }
  now?: () => Date
  /** To read the log; by default only errors are logged, to the terminal. */
  log?: Log
  /** Called at each point of a run where a crash would hurt most. */
  faults?: (point: string) => void | Promise<void>
  /** Called before it is ready, as by the command that prints the start-up block. */
  beforeReady?: (facts: Facts) => Promise<void>
  /** Use an existing database, e.g. as a second replica. */
  databaseUrl?: string
}

export type Answer<T = unknown> = { status: number; headers: Headers; body: T; text: string }

export type TestApp = AsyncDisposable & {
  app: App
  url: string
  databaseUrl: string
  /** A request with the admin's API key (or another one); JSON both ways. */
  api<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    options?: { key?: string | null; headers?: Record<string, string> },
  ): Promise<Answer<T>>
  get<T = Record<string, unknown>>(path: string): Promise<T>
}

/** The ports of apps that have stopped, if the next ones are to have them. */
let freePorts: number[] | undefined

/**
 * From now on the apps of this process have the same address, one after the other: a browser keeps their scripts in its cache. One
 * that is started while another runs has a second address, and so on.
 */
export function keepAddress(): void {
  freePorts ??= []
}

async function takePort(stack: AsyncDisposableStack): Promise<number> {
  if (!freePorts) return 0
  const port = freePorts.pop() ?? (await freePort())
  stack.defer(() => void freePorts?.push(port))
  return port
}

/** A whole app in this process, on its own database, listening on a free port. */
export async function startTestApp(options: Options = {}): Promise<TestApp> {
  await using stack = new AsyncDisposableStack()
  const databaseUrl = options.databaseUrl ?? stack.use(await createTestDatabase()).url
  const config = readConfig({
    PORT: String(await takePort(stack)),
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEY: testEncryptionKey,
    API_KEY: testApiKey,
    LOG_LEVEL: 'error',
    ...options.env,
  })
  const log = options.log ?? (await createLog({ level: config.logLevel, pretty: false }))
  const app = stack.use(
    await startApp(config, {
      log,
      ...(options.now ? { now: options.now } : {}),
      ...(options.faults ? { faults: options.faults } : {}),
      ...(options.beforeReady ? { beforeReady: options.beforeReady } : {}),
    }),
  )

  if (options.admin) {
    const { email, password } = options.admin
    // A second replica finds them there.
    await insertUser(app.ctx.db, { email, name: 'kim', role: 'admin', passwordHash: easyHash(password) })
  }

  const api: TestApp['api'] = async (method, path, body, { key = testApiKey, headers = {} } = {}) => {
    const response = await fetch(new URL(path, app.url), {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const content = parse<never>(text)
    checkAnswer(method, path, response.status, content)
    return { status: response.status, headers: response.headers, body: content, text }
  }
  const opened = stack.move()
  return {
    app,
    url: app.url,
    databaseUrl,
    api,
    async get<T>(path: string) {
      const answer = await api<T>('GET', path)
      if (answer.status !== 200) throw new Error(`GET ${path} answered ${answer.status}: ${answer.text}`)
      return answer.body
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

function parse<T>(text: string): T {
  try {
    return JSON.parse(text) as T
  } catch {
    // Not JSON: the caller reads `text`.
    return undefined as T
  }
}
