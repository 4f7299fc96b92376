import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { plainEnv } from './plain-env.ts'
import { testApiKey } from './start-test-app.ts'

export type Service = AsyncDisposable & {
  url: string
  pid: number
  child: ChildProcess
  /** Everything it has written so far. */
  output(): string
  /** A request below /api/v1 with the tests' own key; JSON both ways. Fails unless the answer is a success. */
  api<T>(method: string, path: string, body?: unknown): Promise<T>
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

const main = join(import.meta.dirname, '../../src/main.ts')

type Options = {
  /** How many files it may have open; by default as many as we. */
  maxFiles?: number
}

/** The real process, as `npm start` runs it, on a free port. */
export async function startService(
  env: Record<string, string>,
  { maxFiles }: Options = {},
): Promise<Service> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const limit = maxFiles === undefined ? '' : `ulimit -n ${maxFiles}; `
  const child = spawn('/bin/sh', ['-c', `${limit}exec "$0" "$@"`, process.execPath, main, 'start'], {
    env: { ...plainEnv, HOME: process.env.HOME, PORT: String(port), PUBLIC_URL: url, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes))
  const exited = once(child, 'exit')
  const service: Service = {
    url,
    pid: child.pid ?? 0,
    child,
    output: () => output,
    async api<T>(method: string, path: string, body?: unknown) {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${testApiKey}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
      return (await answer.json()) as T // the shapes of the contract, which the caller names
    },
    // At SIGTERM, a process with an external database first waits for its load balancer.
    async stop(signal = 'SIGINT') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      const [code] = await exited
      return code
    },
    [Symbol.asyncDispose]: async () => void (await service.stop()),
  }
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The service did not start:\n${output}`)
    // It is ready soon after it has said so.
    const ready =
      output.includes('Ctrl-C stops it') &&
      (await fetch(`${url}/readyz`).then(
        (response) => response.ok,
        () => false,
      ))
    if (ready) return service
    await pause(20)
  }
}
