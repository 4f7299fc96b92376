import { spawn } from 'node:child_process'
import { glob } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'

/** `npm run check`: everything that must hold, the quick checks first. Arguments are test files to run instead of all. */
type Step = { name: string; command: string; args: string[] }

const chosen = process.argv.slice(2)
const tests =
  chosen.length > 0
    ? chosen
    : (await Array.fromAsync(glob('test/**/*.test.ts')))
        .filter((file) => !file.includes('/long/'))
        .sort(longFirst)

const steps: Step[] = [
  { name: 'format and lint', command: 'biome', args: ['check', '.'] },
  { name: 'types', command: 'tsc', args: ['-p', '.'] },
  { name: 'types of the dashboard', command: 'tsc', args: ['-p', 'dashboard'] },
  { name: 'unused code', command: 'knip', args: [] },
  {
    name: 'tests',
    command: 'node',
    args: [
      '--test',
      // One more than there are cores: tests wait for other processes most of the time.
      `--test-concurrency=${Math.min(4, availableParallelism() + 1)}`,
      '--test-timeout=300000',
      '--test-global-setup=test/support/global-setup.ts',
      ...tests,
    ],
  },
]

/** Those with a browser or with processes of their own take longest: at the end nobody shall wait for one of them alone. */
function longFirst(one: string, other: string): number {
  const isLong = (file: string) => /^test\/(chaos|e2e|house|setup)\//.test(file)
  return Number(isLong(other)) - Number(isLong(one)) || (one < other ? -1 : 1)
}

/** Each test file is a process that reads the same sources. */
const compileOnce = { NODE_COMPILE_CACHE: resolve('node_modules/.cache/node') }

for (const { name, command, args } of steps) {
  const startedAt = performance.now()
  console.log(`\n── ${name} ──`)
  const exitCode = await run(command, args)
  if (exitCode !== 0) {
    console.error(`\n${name}: failed`)
    process.exit(exitCode)
  }
  console.log(`${name}: fine (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
}

/** npm puts node_modules/.bin first on the path, so these are the versions of the lockfile. */
function run(command: string, args: string[]): Promise<number> {
  return new Promise((settle, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...compileOnce } })
    child.on('error', reject)
    child.on('exit', (code, signal) => settle(code ?? (signal ? 1 : 0)))
  })
}
