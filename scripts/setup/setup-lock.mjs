import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { explainFailure } from './setup-error.mjs'

const longestSetupMs = 30 * 60_000
const longestClaimMs = 10_000

/** `npm start` and `npm test` at the same time must not both replace node_modules. The second waits for the first. */
export async function withSetupLock(root, work) {
  const file = join(root, 'dist/setup.lock')
  let told = false
  while (!take(root, file)) {
    const holder = liveHolder(file)
    if (holder === undefined) removeStale(root, file)
    else if (!told) {
      told = true
      console.error(`Another setup of this checkout is running (process ${holder}); waiting for it…`)
    }
    await pause(holder === undefined ? 10 : 300)
  }
  try {
    return await work()
  } finally {
    // If our setup took longer than the limit, the lock may belong to another process by now.
    if (pidIn(file) === process.pid) rmSync(file, { force: true })
  }
}

/**
 * Several processes may find the same lock stale. Only one at a time checks again and removes it: otherwise the second would
 * remove the first one's new lock.
 */
function removeStale(root, file) {
  const claim = `${file}.removal`
  if (take(root, claim)) {
    if (liveHolder(file) === undefined) rmSync(file, { force: true })
    rmSync(claim, { force: true })
  } else if (!isYounger(claim, longestClaimMs)) rmSync(claim, { force: true })
}

function take(root, file) {
  try {
    mkdirSync(join(root, 'dist'), { recursive: true })
    writeFileSync(file, `${process.pid}\n`, { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw explainFailure('Preparing this checkout', error.message)
  }
}

/** Undefined if the holder is gone, or has held the lock for longer than any setup takes. */
function liveHolder(file) {
  try {
    const pid = pidIn(file)
    if (pid === undefined) return undefined
    const isFresh = isYounger(file, longestSetupMs)
    // A lock without a process id is just being written.
    if (Number.isNaN(pid)) return isFresh ? 'unknown' : undefined
    process.kill(pid, 0)
    return isFresh ? pid : undefined
  } catch (error) {
    return error.code === 'EPERM' ? 'of another user' : undefined
  }
}

function pidIn(file) {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10)
  } catch {
    return undefined
  }
}

/** False if it does not exist. */
function isYounger(file, ms) {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats !== undefined && Date.now() - stats.mtimeMs < ms
}
