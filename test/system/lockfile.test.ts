import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { verifies } from '../support/verifies.ts'

const lockfile = readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8')

verifies('house:lockfile-without-addresses', 'the lockfile says what to install and not from where', () => {
  assert.deepEqual(lockfile.match(/"resolved":.*/g), null)
  assert.deepEqual(lockfile.match(/https?:\/\/[^/"]*registry[^"]*/g), null)
})

verifies(
  'house:lockfile-without-addresses',
  'every dependency is asked for in one exact version, which is locked',
  () => {
    // The shape of every npm lockfile since version 2.
    const { packages } = JSON.parse(lockfile) as {
      packages: Record<string, { version: string; integrity?: string }>
    }
    const wanted = Object.entries({ ...packageJson.dependencies, ...packageJson.devDependencies })
    const locked = wanted.map(([name]) => [name, packages[`node_modules/${name}`]?.version])
    assert.deepEqual(locked, wanted)
    const unsealed = wanted.filter(([name]) => !packages[`node_modules/${name}`]?.integrity)
    assert.deepEqual(unsealed, [], 'locked without a checksum')
  },
)
