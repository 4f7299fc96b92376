import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import { openDataFolder } from '../../src/platform/files/data-folder.ts'
import { createLog } from '../../src/platform/log.ts'

/** Who is killed with SIGKILL. `us-and-watcher` leaves PostgreSQL alive without anybody who would stop it. */
export const victims = ['us', 'postgres', 'both', 'us-and-watcher'] as const
export type Victim = (typeof victims)[number]

export type RoundReport = { victim: Victim; committed: number; kept: number; startMs: number }

/** Runs and kills a writer on the data folder; then a new start must find every acknowledged row. */
export async function killRound(folder: string, victim: Victim): Promise<RoundReport> {
  const writer = startWriter(folder)
  try {
    const committed = new Set<number>()
    await writer.commits(20 + Math.floor(Math.random() * 200), committed)
    kill(victim, writer.child.pid ?? 0, postmasterOf(writer.cluster()))
    if (victim === 'postgres') {
      await writer.commits(20, committed)
      writer.child.kill('SIGTERM')
    }
    await writer.drain(committed)
    return { victim, committed: committed.size, ...(await checkRows(folder, committed)) }
  } finally {
    writer.child.kill('SIGKILL')
  }
}

async function checkRows(folder: string, committed: Set<number>): Promise<{ kept: number; startMs: number }> {
  const begun = performance.now()
  await using data = await openDataFolder(folder)
  const log = await createLog({ level: 'silent', pretty: false })
  await using postgres = await startEmbeddedPostgres({ folder: data, log })
  const startMs = Math.round(performance.now() - begun)
  const client = new pg.Client(postgres.connection)
  await client.connect()
  try {
    const { rows } = await client.query('select number from rows')
    const kept = new Set(rows.map((row) => Number(row.number)))
    assert.deepEqual([...committed.difference(kept)], [], 'acknowledged rows are missing')
    return { kept: kept.size, startMs }
  } finally {
    await client.end()
  }
}

type Writer = {
  child: ChildProcess
  cluster(): string
  /** Waits for this many more acknowledged rows. */
  commits(count: number, into: Set<number>): Promise<void>
  /** Reads the remaining output and waits for the exit. */
  drain(into: Set<number>): Promise<void>
}

function startWriter(folder: string): Writer {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'write-rows.ts'), folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint += chunk
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let cluster = ''
  async function next(into: Set<number>): Promise<'row' | 'other' | 'end'> {
    const { value, done } = await lines.next()
    if (done) return 'end'
    const [word, rest = ''] = value.split(' ')
    if (word === 'cluster') cluster = rest
    if (word !== 'committed') return 'other'
    into.add(Number(rest))
    return 'row'
  }
  return {
    child,
    cluster: () => cluster,
    async commits(count, into) {
      for (let seen = 0; seen < count; ) {
        const kind = await next(into)
        if (kind === 'end') throw new Error(`The writer ended by itself: ${complaint}`)
        if (kind === 'row') seen++
      }
    },
    async drain(into) {
      while ((await next(into)) !== 'end');
      await ended
    },
  }
}

function kill(victim: Victim, writer: number, postmaster: number): void {
  for (const pid of pidsOf(victim, writer, postmaster)) process.kill(pid, 'SIGKILL')
}

function pidsOf(victim: Victim, writer: number, postmaster: number): number[] {
  switch (victim) {
    case 'us':
      return [writer]
    case 'postgres':
      return [postmaster]
    case 'both':
      return [postmaster, writer]
    case 'us-and-watcher':
      return [...childrenOf(writer).filter((pid) => pid !== postmaster), writer]
    default:
      throw new Error(`Unhandled victim ${victim satisfies never}`)
  }
}

export function postmasterOf(cluster: string): number {
  return Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10)
}

export function childrenOf(parent: number): number[] {
  const table = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, ppid]) => ppid === parent)
    .map(([pid = 0]) => pid)
}
