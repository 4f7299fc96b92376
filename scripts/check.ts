import { spawn } from 'node:child_process'
import { glob, mkdir, readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, resolve } from 'node:path'
import { groupTestFiles } from './group-test-files.ts'

/** `npm run check`: everything that must hold, the quick checks first. Arguments are test files to run instead of all. */
type Step = { name: string; command: string; args: string[] }

const chosen = process.argv.slice(2)
const all = (await Array.fromAsync(glob('test/**/*.test.ts'))).filter((file) => !file.includes('/long/'))
/** What is run, each in a process of its own, and the test files in it. */
const tests =
  chosen.length > 0
    ? new Map(chosen.map((file) => [resolve(file), [file]]))
    : await groupTestFiles(all, resolve('node_modules/.cache/test-groups'))

/** Each process of the tests reads the same sources. */
const compileOnce = { NODE_COMPILE_CACHE: resolve('node_modules/.cache/node') }
/** Far more than all of them take, and less than whoever waits for the result may have. */
const longestMs = 3_600_000
const failedFiles = resolve('node_modules/.cache/failed-test-files')
await mkdir(dirname(failedFiles), { recursive: true })

/** Several type checkers in one process each check the same libraries again; one takes half of the processor time. */
const checkingTypes = ['--checkers', '1']
const quickSteps: Step[] = [
  { name: 'format and lint', command: 'biome', args: ['check', '.'] },
  { name: 'types', command: 'tsc', args: ['-p', '.', ...checkingTypes] },
  { name: 'types of the dashboard', command: 'tsc', args: ['-p', 'dashboard', ...checkingTypes] },
  { name: 'unused code', command: 'knip', args: [] },
]
const testStep: Step = {
  name: 'tests',
  command: 'node',
  // Two more than there are cores: tests wait for other processes and for browsers most of the time.
  args: testing([...tests.keys()], Math.min(4, availableParallelism() + 2)),
}

function testing(files: string[], atOnce: number): string[] {
  return [
    '--test',
    `--test-concurrency=${atOnce}`,
    // Ends a test that hangs, and then its process, which would wait for what that test left open. On a slow machine honest
    // ones may take minutes.
    '--test-timeout=600000',
    '--test-force-exit',
    '--test-global-setup=test/support/global-setup.ts',
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=./scripts/report-failed-files.ts',
    `--test-reporter-destination=${failedFiles}`,
    ...files,
  ]
}

// Side by side, since most of them use one core.
const quickResults = await Promise.all(quickSteps.map((step) => report(step)))
process.exitCode = quickResults.find((code) => code !== 0) ?? (await report(testStep, tryAlone))

async function report({ name, command, args }: Step, ifFailed?: () => Promise<number>): Promise<number> {
  const startedAt = performance.now()
  console.log(`── ${name} ──`)
  const exitCode = (await run(command, args)) && ((await ifFailed?.()) ?? 1)
  if (exitCode === 0) console.log(`${name}: fine (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
  else console.error(`${name}: failed`)
  return exitCode
}

/**
 * Many tests stop processes and wait for browsers, on a machine that may be busy with others. What fails beside them and passes
 * alone is a race: it is named for whoever mends it, and hides no other result. More than a few failures are no coincidence.
 */
async function tryAlone(): Promise<number> {
  const failedRuns = (await readFile(failedFiles, 'utf8')).split('\n').filter(Boolean)
  if (failedRuns.length === 0 || failedRuns.length > 3) return 1
  const failed = failedRuns.flatMap((run) => tests.get(run) ?? [run])
  console.log(`\n── once more, alone: ${failed.join(', ')} ──`)
  const exitCode = await run('node', testing(failed, 1))
  if (exitCode === 0) console.log(`\nA RACE: failed beside other tests, passed alone: ${failed.join(', ')}`)
  return exitCode
}

/** npm puts node_modules/.bin first on the path, so these are the versions of the lockfile. */
function run(command: string, args: string[]): Promise<number> {
  return new Promise((settle, reject) => {
    const env = { ...process.env, ...compileOnce }
    const child = spawn(command, args, { stdio: 'inherit', env, timeout: longestMs })
    child.on('error', reject)
    child.on('exit', (code, signal) => settle(code ?? (signal ? 1 : 0)))
  })
}
