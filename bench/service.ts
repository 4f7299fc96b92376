import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../test/support/free-port.ts'

export const benchKey = 'blh_bench_admin_key_0000000000000001'
const root = join(import.meta.dirname, '..')

export type BenchService = AsyncDisposable & {
  url: string
  dataDir: string
  /** From the start of the process to the first answer of /readyz. */
  readyMs: number
  call<T>(method: string, path: string, body?: unknown): Promise<T>
  /** Proportional memory of the process and of its PostgreSQL, in MB. */
  memoryMb(): Promise<number>
  /** Processor time used so far, in seconds; of connections that have ended, too. */
  cpuSeconds(): Promise<{ node: number; postgres: number }>
  stop(): Promise<void>
}

/** What `npm start` runs. */
async function startCommand(): Promise<string> {
  // Our own file, with this shape.
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  return scripts.start
}

/** The process of `npm start`, on a new data folder or an existing one. */
export async function startBenchService(
  env: Record<string, string> = {},
  dataDir?: string,
): Promise<BenchService> {
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'bellhop-bench-')))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const command = await startCommand()
  const startedAt = performance.now()
  const child = spawn('sh', ['-c', command], {
    cwd: root,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      PORT: String(port),
      PUBLIC_URL: url,
      DATA_DIR: folder,
      API_KEY: benchKey,
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  while (
    !(await fetch(`${url}/readyz`)
      .then((answer) => answer.ok)
      .catch(() => false))
  ) {
    if (child.exitCode !== null) throw new Error('The service did not start.')
    await pause(5)
  }
  const readyMs = performance.now() - startedAt
  return {
    url,
    dataDir: folder,
    readyMs,
    async call<T>(method: string, path: string, body?: unknown) {
      const answer = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${benchKey}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
      // Our own API, whose shapes the caller names.
      return (await answer.json()) as T
    },
    memoryMb: () => memoryOf(child, folder),
    cpuSeconds: () => cpuOf(child, folder),
    stop: () => stop(child),
    async [Symbol.asyncDispose]() {
      await stop(child)
      if (dataDir === undefined) await rm(folder, { recursive: true, force: true })
    },
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/**
 * PSS, so that shared memory counts once. The service and PostgreSQL have the data folder on their command line; PostgreSQL's
 * children do not.
 */
async function memoryOf(child: ChildProcess, folder: string): Promise<number> {
  let kilobytes = 0
  for (const { pid } of await processesOf(child, folder)) {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
    kilobytes += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0)
  }
  return kilobytes / 1024
}

const ticksPerSecond = 100

/** The last two of the four counters are those of children that have ended. */
async function cpuOf(child: ChildProcess, folder: string): Promise<{ node: number; postgres: number }> {
  const seconds = { node: 0, postgres: 0 }
  for (const { pid, isPostgres } of await processesOf(child, folder)) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    const ticks = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15)
    const used = ticks.reduce((sum, value) => sum + Number(value), 0) / ticksPerSecond
    seconds[isPostgres ? 'postgres' : 'node'] += used
  }
  return seconds
}

type OwnProcess = { pid: string; isPostgres: boolean }

async function processesOf(child: ChildProcess, folder: string): Promise<OwnProcess[]> {
  const found: OwnProcess[] = []
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    const ours = Number(pid) === child.pid || command.includes(folder) || environment.includes(folder)
    const isBackend = command.startsWith('postgres:') && (await isBelow(pid, folder))
    if (ours || isBackend) found.push({ pid, isPostgres: isBackend || /\/postgres\0/.test(command) })
  }
  return found
}

async function isBelow(pid: string, folder: string): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? ''
  return (await readFile(`/proc/${parent}/cmdline`, 'utf8').catch(() => '')).includes(folder)
}
