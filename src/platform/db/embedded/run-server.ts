import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../log.ts'
import type { Account } from './account.ts'
import type { Binaries } from './binaries.ts'
import { readPostmasterFile } from './postmaster-file.ts'
import type { ServerLog } from './server-log.ts'

export type Server = {
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<string>
  stop(): Promise<void>
}

export type ServerPlan = {
  binaries: Binaries
  cluster: string
  account: Account
  socketFolder: string
  settings: Record<string, string>
  serverLog: ServerLog
  log: Log
}

/** The server ended before it was ready. `output` is its last output. */
export class ServerRefused extends Error {
  readonly output: string

  constructor(how: string, output: string, logPath: string) {
    super(
      `PostgreSQL did not start (${how}). Its last output:\n${output.replace(/^/gm, '  ')}\nThe whole log is ${logPath}`,
    )
    this.name = 'ServerRefused'
    this.output = output
  }
}

/** Starts PostgreSQL and waits until it accepts connections; after a crash that includes recovery, however long. */
export async function runServer({
  binaries,
  cluster,
  account,
  settings,
  serverLog,
  log,
}: ServerPlan): Promise<Server> {
  const since = await serverLog.end()
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(binaries.postgres, ['-D', cluster, ...options], {
    ...account.switchTo,
    cwd: '/',
    env: { TZ: 'UTC', LC_ALL: 'C', PATH: '/usr/bin:/bin' },
    stdio: ['ignore', serverLog.fd, serverLog.fd],
    // Its own process group: Ctrl-C in the terminal must reach only us, or the server would stop before we are done.
    detached: true,
  })
  const ended = endOf(child)
  const watcher = child.pid === undefined ? undefined : stopWhenWeDie(child.pid, account)
  void ended.then(() => watcher?.kill('SIGKILL'))

  let over: string | undefined
  void ended.then((how) => {
    over = how
  })
  const begun = performance.now()
  let loggedAt = begun
  while (over === undefined) {
    const file = await readPostmasterFile(cluster)
    if (file?.pid === child.pid && file?.ready) return { ended, stop: () => stop(child, ended) }
    if (performance.now() - loggedAt > 5_000) {
      loggedAt = performance.now()
      log.info({ seconds: Math.round((loggedAt - begun) / 1000) }, 'postgres.recovering')
    }
    await pause(10)
  }
  throw new ServerRefused(over, await serverLog.lastLines(since), serverLog.path)
}

/** Fast shutdown: open transactions are rolled back, everything committed is written. Harsher signals only if that hangs. */
async function stop(child: ChildProcess, ended: Promise<string>): Promise<void> {
  const steps = [
    { signal: 'SIGINT', waitMs: 20_000 },
    { signal: 'SIGQUIT', waitMs: 5_000 },
    { signal: 'SIGKILL', waitMs: 5_000 },
  ] as const
  for (const { signal, waitMs } of steps) {
    child.kill(signal)
    using timer = clearableTimeout(waitMs)
    if (await Promise.race([ended.then(() => true), timer.done])) return
  }
}

function clearableTimeout(ms: number): Disposable & { done: Promise<false> } {
  const { promise, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(() => resolve(false), ms)
  return { done: promise, [Symbol.dispose]: () => clearTimeout(timer) }
}

function endOf(child: ChildProcess): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  child.once('error', (error) => resolve(error.message))
  child.once('exit', (code, signal) => resolve(signal ? `ended by ${signal}` : `exit code ${code}`))
  return promise
}

/**
 * However we die, the server must not keep running. The watcher reads from a pipe that only we hold: when we are gone it reads
 * the end of file, and asks the server to shut down.
 */
function stopWhenWeDie(pid: number, account: Account): ChildProcess {
  const watcher = spawn('/bin/sh', ['-c', 'read -r line; kill -INT "$1"', 'bellhop-watch', String(pid)], {
    ...account.switchTo,
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  // Without a watcher only this is lost; the next start clears what was left.
  watcher.once('error', () => {})
  watcher.unref()
  // A child's stdin is a Socket, but typed as a Writable without unref.
  if (watcher.stdin && 'unref' in watcher.stdin && typeof watcher.stdin.unref === 'function')
    watcher.stdin.unref()
  return watcher
}
