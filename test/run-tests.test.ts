import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { plainEnv } from './support/plain-env.ts'
import { sharedTestServerEnv } from './support/postgres.ts'
import { temporaryFolder } from './support/temporary-folder.ts'
import { verifies } from './support/verifies.ts'

const script = join(import.meta.dirname, '../scripts/run-tests.ts')
/** Fails the first time only. */
const flaky = `
  import { existsSync, writeFileSync } from 'node:fs'
  import { test } from 'node:test'
  const mark = new URL('seen', import.meta.url)
  test('passes', () => {})
  test('depends on the moment', () => {
    if (existsSync(mark)) return
    writeFileSync(mark, '')
    throw new Error('not yet')
  })`

/** Runs the script with the given test file. */
async function runTests(source: string, env: Record<string, string> = {}) {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'made-up.test.mjs')
  await writeFile(file, source)
  return await new Promise<{ exitCode: number; lines: string[] }>((settle) => {
    const options = { env: { ...plainEnv, ...sharedTestServerEnv(), ...env } }
    const child = execFile(process.execPath, [script, file], options, (_error, stdout) => {
      settle({ exitCode: child.exitCode ?? -1, lines: stdout.trimEnd().split('\n') })
    })
  })
}

verifies(
  'house:flaky-test-fails',
  'a test that fails fails the run, although it would pass alone',
  async () => {
    const { exitCode, lines } = await runTests(flaky)
    assert.equal(exitCode, 1)
    assert.equal(lines.filter((line) => line.includes('once more')).length, 0)
  },
)

verifies(
  'house:flaky-test-fails',
  'with CI=true it is tried once more, alone; if it passes, the very last line names it',
  async () => {
    const { exitCode, lines } = await runTests(flaky, { CI: 'true' })
    assert.equal(exitCode, 0, lines.join('\n'))
    assert.match(lines.at(-1) ?? '', /^FLAKY, mend next: .*: depends on the moment \(.*made-up\.test\.mjs\)$/)
  },
)

verifies('house:flaky-test-fails', 'one that fails again, or crashes, is a failure there, too', async () => {
  for (const broken of [
    `import { test } from 'node:test'; test('no', () => assert.fail())`,
    'process.exit(3)',
  ]) {
    const { exitCode, lines } = await runTests(broken, { CI: 'true' })
    assert.equal(exitCode, 1, lines.join('\n'))
    assert.ok(lines.some((line) => line.includes('once more')))
  }
})
