import { once } from 'node:events'
import { describeConfig, readConfig } from '../config.ts'
import { createLog } from '../platform/log.ts'
import type { Command } from './run-command.ts'

export const start: Command = {
  says: 'start the service (this is what npm start does)',
  async run() {
    const config = readConfig()
    // Here, so that the other commands need not load the whole service.
    const [{ startApp }, { startUpBlock }] = await Promise.all([
      import('../app.ts'),
      import('./start-up-block.ts'),
    ])
    const log = await createLog({ level: config.logLevel, pretty: process.stdout.isTTY })
    const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
    let wanted = true
    void stopped.then(() => {
      wanted = false
    })
    const started = await startApp(config, { log }).catch((error: unknown) => {
      // Ctrl-C in a terminal ends the database's programs, too. That they complain of it is no fault to read about.
      if (wanted) throw error
      return null
    })
    if (started === null) {
      process.stdout.write('Stopped before it was ready; the next start begins again.\n')
      return 0
    }
    {
      await using app = started
      log.debug({ config: describeConfig(config) }, 'service.started')
      process.stdout.write(await startUpBlock(app))
      await stopped
      process.stdout.write('Stopping: finishing what runs …\n')
      giveUpAfter(30_000)
    }
    process.stdout.write('Stopped.\n')
    return 0
  },
}

/** A second signal, or half a minute, ends it at once; the journal and the inbox make that safe. */
function giveUpAfter(ms: number): void {
  const giveUp = () => process.kill(process.pid, 'SIGKILL')
  process.once('SIGINT', giveUp)
  process.once('SIGTERM', giveUp)
  setTimeout(giveUp, ms).unref()
}
