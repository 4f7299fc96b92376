import { setTimeout as pause } from 'node:timers/promises'
import type { Facts } from '../app.ts'
import { describeConfig, readConfig } from '../config.ts'
import { watchSilence } from '../platform/db/watch-silence.ts'
import { createLog } from '../platform/log.ts'

export async function start(): Promise<number> {
  const config = readConfig()
  // The reader of our output may end before us (`npm start | tee`, where Ctrl-C ends both). That must not crash us.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)
  // Imported here, so that a wrong configuration is reported without loading the whole service.
  const [{ startApp }, { startUpBlock }] = await Promise.all([
    import('../app.ts'),
    import('./start-up-block.ts'),
  ])
  const log = await createLog({ level: config.logLevel, pretty: process.stdout.isTTY })
  const stopped = untilStopSignal()
  let wanted = true
  void stopped.then(() => {
    wanted = false
  })
  const beforeReady = async (facts: Facts) => {
    if (wanted) process.stdout.write(await startUpBlock(facts))
  }
  const starting = startApp(config, { log, beforeReady }).catch((error: unknown) => {
    // Ctrl-C in a terminal also ends the database's processes; errors from that are expected.
    if (wanted) throw error
    return null
  })
  {
    await using app = await starting
    if (app === null || !wanted) {
      process.stdout.write('Stopped before it was ready; the next start begins again.\n')
      return 0
    }
    log.debug({ config: describeConfig(config) }, 'service.started')
    const signal = await stopped
    process.stdout.write('Stopping: finishing current work …\n')
    setTimeout(endAtOnce, maxStopMs).unref()
    using _watch = watchSilence(app.ctx.store.database.connection, endUnfinished, silenceMs)
    // A person who presses Ctrl-C need not wait, and with an embedded database there is no other process to turn to.
    if (signal === 'SIGTERM' && config.databaseUrl && config.role !== 'worker') {
      app.leave()
      await pause(leaveMs)
    }
    await app[Symbol.asyncDispose]()
  }
  process.stdout.write('Stopped.\n')
  return 0
}

const maxStopMs = 30_000
/** Load balancers ask every second or two whether we are ready. */
const leaveMs = 5_000
/** Nothing can be finished or returned to a database that does not answer, so we stop waiting for it. */
const silenceMs = 5_000
/** Ctrl-C arrives from the terminal and again through npm: two signals within this time count as one. */
const sameSignalMs = 500

/** A second signal, or half a minute, ends the process at once; the journal and the inbox make that safe. */
function untilStopSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>()
  let signalledAt: number | undefined
  const onSignal = (signal: NodeJS.Signals) => {
    signalledAt ??= performance.now()
    if (performance.now() - signalledAt > sameSignalMs) endAtOnce()
    resolve(signal)
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  return promise
}

function endUnfinished(): void {
  process.stdout.write(
    `The database has not answered for ${silenceMs / 1000} s, so nothing more can be finished. Unfinished work continues after the next start.\n`,
    endAtOnce,
  )
}

function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL')
}
