import { startTestApp } from './start-test-app.ts'

/**
 * Bellhop in its own process, to be killed or stopped at a point of its work:
 * `node faulty-app.ts <databaseUrl> <point> <SIGKILL|SIGSTOP> <environment as JSON>`. It prints `ready` and waits.
 */
const [databaseUrl = '', point = '', signal = 'SIGKILL', env = '{}'] = process.argv.slice(2)
let struck = false

await startTestApp({
  databaseUrl,
  env: JSON.parse(env) as Record<string, string>,
  faults(reached) {
    if (reached !== point || struck) return
    struck = true
    process.stdout.write('struck\n')
    process.kill(process.pid, signal as NodeJS.Signals) // given by the test, one of the two above
  },
})
process.stdout.write('ready\n')
