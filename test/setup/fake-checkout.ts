import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { temporaryFolder } from '../support/temporary-folder.ts'

type Result = { code: number; said: string }

export type FakeCheckout = AsyncDisposable & {
  path: string
  /** A program on the path of the setup, as a shell script. `$CHECKOUT` is this folder. */
  program(name: string, script: string): Promise<void>
  setup(options?: {
    args?: string[]
    nodeArgs?: string[]
    env?: Record<string, string>
    asOrdinaryUser?: boolean
    /** A line of a shell that begins the setup instead. */
    line?: string
  }): Promise<Result>
  /** How often, and with what, a program was called. */
  calls(): Promise<string[]>
}

const root = join(import.meta.dirname, '../..')
/** As root, only the reported user is faked: a real other user could not enter the checkout. */
const beNobody = 'data:text/javascript,process.getuid=()=>65534'

/** npm's record is the lockfile without its first entry, the project itself, and without what was left out. */
const recordInstall = `
  const lock = JSON.parse(fs.readFileSync("package-lock.json", "utf8"))
  delete lock.packages[""]
  for (const [path, { dev }] of Object.entries(lock.packages)) {
    if (dev && process.argv.includes("--omit=dev")) delete lock.packages[path]
    else fs.mkdirSync(path, { recursive: true })
  }
  fs.writeFileSync("node_modules/.package-lock.json", JSON.stringify(lock))`

/** What npm leaves behind when it succeeds: Node, the packages and its own record of the lockfile. */
export const npmThatInstalls = `
  mkdir -p node_modules/.bin
  ln -sf "$REAL_NODE" node_modules/.bin/node
  ln -sfn "$REAL_MODULES/vite" node_modules/vite
  "$REAL_NODE" -e '${recordInstall}' -- "$@"`

/** A clone with our setup scripts and an empty lockfile, where npm and apt-get are programs of the test. */
export async function fakeCheckout(): Promise<FakeCheckout> {
  await using stack = new AsyncDisposableStack()
  const { path } = stack.use(await temporaryFolder(0o755))
  const programs = join(path, 'programs')
  await mkdir(programs)
  await cp(join(root, 'scripts/setup.mjs'), join(path, 'scripts/setup.mjs'))
  await cp(join(root, 'scripts/setup'), join(path, 'scripts/setup'), { recursive: true })
  await writeFile(join(path, 'package.json'), '{"type":"module"}')
  await writeFile(join(path, 'package-lock.json'), '{"lockfileVersion":3,"packages":{"":{}}}')
  await writeFile(join(path, 'calls'), '')
  await chmod(join(path, 'calls'), 0o666)
  await mkdir(join(path, 'src'))
  await mkdir(join(path, 'dashboard'))
  const opened = stack.move()
  return {
    path,
    async program(name, script) {
      const lines = ['#!/bin/sh', 'set -e', `echo "${name} $*" >> "$CHECKOUT/calls"`, script]
      await writeFile(join(programs, name), lines.join('\n'), { mode: 0o755 })
    },
    async setup({ args = [], nodeArgs = [], env = {}, asOrdinaryUser = false, line } = {}) {
      const become = asOrdinaryUser ? ['--import', beNobody] : []
      const child = spawn(
        line === undefined ? process.execPath : '/bin/sh',
        line === undefined
          ? [...become, ...nodeArgs, join(path, 'scripts/setup.mjs'), ...args]
          : ['-c', line],
        {
          cwd: path,
          stdio: ['ignore', 'pipe', 'pipe'],
          env: {
            CHECKOUT: path,
            REAL_NODE: process.execPath,
            REAL_MODULES: join(root, 'node_modules'),
            // Only what the scripts themselves call: no browser of this machine may be found by accident.
            PATH: [programs, await plainTools(path)].join(delimiter),
            HOME: path,
            ...env,
          },
        },
      )
      const [said, complaint, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ])
      return { code, said: said + complaint }
    },
    calls: async () => (await readFile(join(path, 'calls'), 'utf8')).split('\n').filter(Boolean),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

async function plainTools(path: string): Promise<string> {
  const folder = join(path, 'tools')
  await mkdir(folder, { recursive: true })
  for (const tool of ['mkdir', 'ln', 'cp', 'sleep']) {
    await writeFile(join(folder, tool), `#!/bin/sh\nPATH=/usr/bin:/bin exec ${tool} "$@"\n`, { mode: 0o755 })
  }
  return folder
}
