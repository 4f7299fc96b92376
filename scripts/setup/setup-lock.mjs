import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { explainFailure } from './setup-error.mjs'

const longestSetupMs = 30 * 60_000

/** `npm start` and `npm test` at the same time must not both replace node_modules. The second waits for the first. */
export async function withSetupLock(root, work) {
  const file = join(root, 'dist/setup.lock')
  let told = false
  while (!take(root, file)) {
    const holder = liveHolder(file)
    if (holder === undefined) {
      rmSync(file, { force: true })
      continue
    }
    if (!told) console.error(`Another setup of this checkout is running (process ${holder}); waiting for it…`)
    told = true
    await pause(300)
  }
  try {
    return await work()
  } finally {
    rmSync(file, { force: true })
  }
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

/** Undefined when whoever made the lock is gone, or has been at it for longer than any setup takes. */
function liveHolder(file) {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
    const isFresh = Date.now() - statSync(file).mtimeMs < longestSetupMs
    // A lock that has no number yet is being written this moment.
    if (Number.isNaN(pid)) return isFresh ? 'unknown' : undefined
    process.kill(pid, 0)
    return isFresh ? pid : undefined
  } catch (error) {
    return error.code === 'EPERM' ? 'of another user' : undefined
  }
}
