import { spawn } from 'node:child_process'
import { glob, mkdtempDisposable, readFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { groupTestFiles } from './group-test-files.ts'
import type { Failure } from './report-failures.ts'

/**
 * Runs all tests, or the files that are given. A test that fails is a failure, even if it would pass alone: it is flaky, which
 * is a defect of the test or of what it tests. Only with `CI=true` are a few tried once more, alone, and the last line names them.
 */
const root = join(import.meta.dirname, '..')
const cache = join(root, 'node_modules/.cache')
/** Far more than all of them take, and less than whoever waits for the result may have. */
const longestMs = 3_600_000
/** More processes with failures are no coincidence. */
const mostTriedAgain = 3

process.exitCode = await runTests(process.argv.slice(2))

async function runTests(chosen: string[]): Promise<number> {
  const startedAt = performance.now()
  console.log('── tests ──')
  /** What is run, each in a process of its own, and the test files in it. */
  const processes =
    chosen.length > 0
      ? new Map(chosen.map((file) => [resolve(file), [file]]))
      : await groupTestFiles(await allTestFiles(), join(cache, 'test-groups'))
  const filesOf = ({ process }: Failure) => processes.get(process) ?? [process]
  // More than there are cores: tests wait for other processes and for browsers a third of the time. More would cost processor time:
  // each has an app, which looks for work all the time, and half a gigabyte of memory.
  const { isFine, failures } = await run([...processes.keys()], Math.min(8, availableParallelism() + 4))
  if (!isFine && !(mayTryAgain(failures) && (await passAlone(failures.flatMap(filesOf))))) {
    console.error('tests: failed')
    return 1
  }
  console.log(`tests: fine (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
  if (!isFine) {
    const flaky = failures.map((one) => `${one.tests.join(', ') || 'a crash'} (${filesOf(one).join(', ')})`)
    console.log(`FLAKY, mend next: failed beside other tests, passed alone: ${flaky.join('; ')}`)
  }
  return 0
}

function mayTryAgain(failures: Failure[]): boolean {
  return process.env.CI === 'true' && failures.length > 0 && failures.length <= mostTriedAgain
}

async function passAlone(files: string[]): Promise<boolean> {
  console.log(`\n── once more, alone: ${files.join(', ')} ──`)
  return (await run(files, 1)).isFine
}

async function allTestFiles(): Promise<string[]> {
  const files = await Array.fromAsync(glob('test/**/*.test.ts', { cwd: root }))
  return files.filter((file) => !file.includes('/long/'))
}

async function run(files: string[], atOnce: number): Promise<{ isFine: boolean; failures: Failure[] }> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bellhop-tests-'))
  const report = join(folder.path, 'failures')
  const args = [
    '--test',
    `--test-concurrency=${atOnce}`,
    // Ends a test that hangs, and then its process, which would wait for what that test left open. On a slow machine honest
    // ones may take minutes.
    '--test-timeout=600000',
    '--test-force-exit',
    `--import=${join(root, 'test/support/without-test-tracking.ts')}`,
    `--test-global-setup=${join(root, 'test/support/global-setup.ts')}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${join(root, 'scripts/report-failures.ts')}`,
    `--test-reporter-destination=${report}`,
    ...files,
  ]
  // Each process of the tests reads the same sources.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(cache, 'node') }
  const child = spawn(process.execPath, args, { stdio: 'inherit', env, timeout: longestMs })
  const isFine = await new Promise<boolean>((settle, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => settle(code === 0))
  })
  const lines = (await readFile(report, 'utf8')).split('\n').filter(Boolean)
  // Written by our own reporter.
  return { isFine, failures: lines.map((line) => JSON.parse(line) as Failure) }
}
