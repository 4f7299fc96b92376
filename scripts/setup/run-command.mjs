import { spawn } from 'node:child_process'
import { explainFailure, SetupError } from './setup-error.mjs'

const quietMs = 15_000
const signals = ['SIGINT', 'SIGTERM']

/** Runs a command and shows progress; its output is shown only if it fails. */
export async function runCommand(doing, command, args, { cwd, env, expect } = {}) {
  const progress = showProgress(doing, expect)
  let said = ''
  let child
  let stopped = false
  // On SIGTERM npm rolls back for minutes, and would delete files of the next setup. Killed at once, it leaves a partial install,
  // which the next one removes first.
  const stop = () => {
    stopped = true
    child?.kill('SIGKILL')
  }
  for (const signal of signals) process.on(signal, stop)
  try {
    const code = await new Promise((resolve, reject) => {
      child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk) => {
          said = (said + chunk).slice(-100_000)
        })
      }
      child.once('error', reject)
      child.once('close', (exitCode, signal) => resolve(exitCode ?? signal))
    })
    if (stopped) throw new SetupError('Stopped. Nothing is lost: the same command begins again.')
    if (code !== 0) throw explainFailure(doing, said || `It ended with ${code}.`)
  } catch (error) {
    progress.end(false)
    throw error
  } finally {
    for (const signal of signals) process.off(signal, stop)
  }
  progress.end(true)
}

/** On a terminal one line that counts; elsewhere a line now and then, so that a log shows activity. */
function showProgress(doing, expect = '') {
  const begun = Date.now()
  const seconds = () => Math.round((Date.now() - begun) / 1000)
  const live = process.stderr.isTTY
  if (!live) process.stderr.write(`${doing}${expect}…\n`)
  const tick = () => {
    if (live) process.stderr.write(`\r\x1b[K${doing}${expect}… ${seconds()} s`)
    else process.stderr.write(`${doing}… ${seconds()} s\n`)
  }
  if (live) tick()
  const timer = setInterval(tick, live ? 1000 : quietMs)
  return {
    end(fine) {
      clearInterval(timer)
      const line = `${doing}: ${fine ? 'done' : 'failed'} after ${seconds()} s\n`
      process.stderr.write(live ? `\r\x1b[K${line}` : line)
    },
  }
}
