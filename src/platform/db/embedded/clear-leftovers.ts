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
 * After a kill -9 an earlier PostgreSQL, or some of its children, may still be at work in our cluster. We hold the lock of
 * the folder, so nobody else can own them: they are stopped, gently first. No committed row is lost by any of it.
 */
export async function clearLeftovers(cluster: string, socketFolder: string, log: Log): Promise<void> {
  const left = await readPostmasterFile(cluster)
  const head = left?.pid ?? 0
  if ((await findProcesses(cluster, head)).length > 0) {
    log.info({ says: 'an earlier run left its PostgreSQL behind; it is stopped' }, 'postgres.leftovers')
    await stopProcesses(cluster, head)
  }
  // Files of the dead name a process. If that number went to an unrelated one, PostgreSQL would wait for it in vain.
  if (isAlive(head)) await rm(postmasterFilePath(cluster), { force: true })
  await removeSocket(socketFolder)
}

/** Asks the postmaster (`head`) to stop, or its children where it is gone; those that do not listen are killed. */
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

/** Every process of PostgreSQL works inside its cluster. A process number alone proves nothing: numbers are used again. */
async function findProcesses(cluster: string, head: number): Promise<number[]> {
  if (process.platform !== 'linux') return (await isPostmasterOf(cluster, head)) ? [head] : []
  const path = await realpath(cluster)
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const inside = await Promise.all(
    pids.map(async (pid) => {
      const folder = await readlink(`/proc/${pid}/cwd`).catch(() => '')
      if (folder !== path) return false
      // Somebody's shell may stand in the same folder.
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

/** False when there is no such process. One that we may not signal exists all the same. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    return !hasCode(error, 'ESRCH')
  }
}
