import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** `npm run check`: everything that must hold, the quick checks first. Arguments are test files to run instead of all. */
type Step = { name: string; command: string; args: string[] }

/** Several type checkers in one process each check the same libraries again; one takes half of the processor time. */
const checkingTypes = ['--checkers', '1']
const quickSteps: Step[] = [
  { name: 'format and lint', command: 'biome', args: ['check', '.'] },
  { name: 'types', command: 'tsc', args: ['-p', '.', ...checkingTypes] },
  { name: 'types of the dashboard', command: 'tsc', args: ['-p', 'dashboard', ...checkingTypes] },
  { name: 'unused code', command: 'knip', args: [] },
]

// Side by side, since most of them use one core.
const results = await Promise.all(quickSteps.map((step) => report(step)))
// Last, and without a word after it: its last line may name a flaky test.
const runTests = [join(import.meta.dirname, 'run-tests.ts'), ...process.argv.slice(2)]
process.exitCode = results.find((code) => code !== 0) ?? (await run(process.execPath, runTests))

async function report({ name, command, args }: Step): Promise<number> {
  const startedAt = performance.now()
  console.log(`── ${name} ──`)
  const exitCode = await run(command, args)
  if (exitCode === 0) console.log(`${name}: fine (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
  else console.error(`${name}: failed`)
  return exitCode
}

/** npm puts node_modules/.bin first on the path, so these are the versions of the lockfile. */
function run(command: string, args: string[]): Promise<number> {
  return new Promise((settle, reject) => {
    const child = spawn(command, args, { stdio: 'inherit' })
    child.on('error', reject)
    child.on('exit', (code) => settle(code ?? 1))
  })
}
