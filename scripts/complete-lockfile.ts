import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * `node scripts/complete-lockfile.ts`, after packages were added or updated. npm leaves a package of another platform out of the
 * lockfile if it could not fetch it at that moment, and `npm ci` then refuses the lockfile everywhere. This adds each missing one
 * with the exact version that its parent asks for, and the platform in its name. It also asks the registry for each hash that is
 * missing: npm writes only those of packages that it fetched.
 */
type Entry = {
  version?: string
  integrity?: string
  dev?: boolean
  optional?: boolean
  cpu?: string[]
  os?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}
type Lockfile = { packages: Record<string, Entry> }

/** What the lockfile lacks, by its path in node_modules. */
export function missingEntries({ packages }: Lockfile): Record<string, Entry> {
  const missing: Record<string, Entry> = {}
  for (const [path, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (isReachable(packages, path, name)) continue
      missing[`node_modules/${name}`] = {
        version: version.replace(/^[\^~=]/, ''),
        ...(entry.dev ? { dev: true } : {}),
        optional: true,
        ...platformOf(name),
      }
    }
  }
  return missing
}

/** A package finds another one in its own node_modules, or in that of any package around it. */
function isReachable(packages: Record<string, Entry>, from: string, name: string): boolean {
  for (let path = from; ; path = path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/')))) {
    if (join(path, 'node_modules', name) in packages) return true
    if (!path.includes('/node_modules/')) return `node_modules/${name}` in packages
  }
}

const systems = [
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]
const processors = ['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']

/** `@rolldown/binding-linux-arm64-musl` → linux, arm64, musl. Without this npm would fetch it on every platform. */
function platformOf(name: string): Pick<Entry, 'os' | 'cpu' | 'libc'> {
  const words = name.split(/[-/]/)
  const os = systems.filter((system) => words.includes(system))
  const cpu = processors.filter((processor) => words.includes(processor))
  if (cpu.length === 0)
    throw new Error(`${name} is missing in the lockfile and its name does not say for which platform it is.`)
  const libc = words.some((word) => word.startsWith('musl'))
    ? ['musl']
    : words.some((word) => word.startsWith('gnu'))
      ? ['glibc']
      : []
  return { ...(os.length > 0 ? { os } : {}), cpu, ...(libc.length > 0 ? { libc } : {}) }
}

/** Undefined if the registry that npm is set to does not have this version; test/setup/lockfile.test.ts then wants a reason. */
function publishedHash(path: string, { version }: Entry): string | undefined {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  try {
    const args = ['view', `${name}@${version}`, 'dist.integrity']
    return (
      execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim() || undefined
    )
  } catch {
    return undefined
  }
}

if (import.meta.main) {
  const file = join(import.meta.dirname, '../package-lock.json')
  // npm wrote it, in the format it documents.
  const lockfile = JSON.parse(readFileSync(file, 'utf8')) as Lockfile
  const { '': root, ...packages } = { ...lockfile.packages, ...missingEntries(lockfile) }
  const hashed = Object.entries(packages).map(([path, entry]): [string, Entry] => {
    const { version, integrity = publishedHash(path, entry), ...rest } = entry
    return [path, { version, integrity, ...rest }]
  })
  const sorted = hashed.sort(([a], [b]) => a.localeCompare(b, 'en'))
  lockfile.packages = { ...(root ? { '': root } : {}), ...Object.fromEntries(sorted) }
  writeFileSync(file, `${JSON.stringify(lockfile, null, 2)}\n`)
}
