import { execFile } from 'node:child_process'
import { readdir, readlink, realpath, rm } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { hasCode } from '../../has-code.ts'
import type { Log } from '../../log.ts'
import { postmasterFilePath, readPostmasterFile } from './postmaster-file.ts'
import { removeSocket } from './socket-folder.ts'

const run = promisify(execFile)

/**
 * After a kill -9, an earlier PostgreSQL or some of its children may still run in our cluster. We hold the folder's lock, so
 * nobody else can own them: they are stopped, gently at first. No committed row is lost.
 */
export async function clearLeftovers(cluster: string, socketFolder: string, log: Log): Promise<void> {
  const left = await readPostmasterFile(cluster)
  const head = left?.pid ?? 0
  if ((await findProcesses(cluster, head)).length > 0) {
    log.info({ says: 'PostgreSQL of an earlier run is still running; stopping it' }, 'postgres.leftovers')
    await stopProcesses(cluster, head)
  }
  // The file names a dead process. If its number was reused, PostgreSQL would wait for the wrong process.
  if (isAlive(head)) await rm(postmasterFilePath(cluster), { force: true })
  await removeSocket(socketFolder)
}

/** Asks the postmaster (`head`) to stop, or its children if it is gone; those that do not stop are killed. */
async function stopProcesses(cluster: string, head: number): Promise<void> {
  const steps = [
    { signal: 'SIGINT', to: 'head', waitMs: 8_000 },
    { signal: 'SIGQUIT', to: 'head', waitMs: 3_000 },
    { signal: 'SIGQUIT', to: 'all', waitMs: 3_000 },
    { signal: 'SIGKILL', to: 'all', waitMs: 10_000 },
  ] as const
  for (const step of steps) {
    const found = await findProcesses(cluster, head)
    const asked = step.to === 'all' ? found : found.filter((pid) => pid === head)
    for (const pid of asked) signal(pid, step.signal)
    if (asked.length > 0 && (await allGone(cluster, head, step.waitMs))) return
  }
}

async function allGone(cluster: string, head: number, waitMs: number): Promise<boolean> {
  const deadline = performance.now() + waitMs
  while (performance.now() < deadline) {
    if ((await findProcesses(cluster, head)).length === 0) return true
    await pause(20)
  }
  return false
}

/** Every PostgreSQL process runs inside its cluster. A process id alone proves nothing: ids are reused. */
async function findProcesses(cluster: string, head: number): Promise<number[]> {
  if (process.platform !== 'linux') return (await isPostmasterOf(cluster, head)) ? [head] : []
  const path = await realpath(cluster)
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const inside = await Promise.all(
    pids.map(async (pid) => {
      const folder = await readlink(`/proc/${pid}/cwd`).catch(() => '')
      if (folder !== path) return false
      // Somebody's shell may be in the same folder.
      return /\/postgres( \(deleted\))?$/.test(await readlink(`/proc/${pid}/exe`).catch(() => ''))
    }),
  )
  return pids.filter((_, index) => inside[index])
}

async function isPostmasterOf(cluster: string, pid: number): Promise<boolean> {
  const { stdout } = await run('ps', ['-o', 'args=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return stdout.includes(cluster)
}

function isAlive(pid: number): boolean {
  return pid > 0 && signal(pid, 0)
}

/** False if there is no such process. One that we may not signal does exist. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    return !hasCode(error, 'ESRCH')
  }
}
