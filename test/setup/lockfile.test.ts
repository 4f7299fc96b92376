import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { missingEntries } from '../../scripts/complete-lockfile.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'house:lockfile-complete',
  'no package of another platform is missing; node scripts/complete-lockfile.ts adds it',
  async () => {
    const lockfile = JSON.parse(await readFile(join(import.meta.dirname, '../../package-lock.json'), 'utf8'))

    assert.deepEqual(Object.keys(missingEntries(lockfile)), [])
  },
)

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
