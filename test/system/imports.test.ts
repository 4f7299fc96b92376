import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { verifies } from '../support/verifies.ts'

const root = join(import.meta.dirname, '../..')
/** The entry files of the process and of threads act at import, and nobody imports them. */
const beginnings = ['src/main.ts', 'src/platform/thread-entry.ts']

/** Imports everything, then has nothing to do: whatever keeps it alive was opened by an import. */
const script = `
  for (const file of JSON.parse(process.argv[1])) await import(file)
  const left = process.getActiveResourcesInfo().filter((name) => !name.startsWith('TTY') && name !== 'PipeWrap')
  console.log(JSON.stringify(left))
`

verifies(
  'house:no-import-side-effects',
  'importing every module opens nothing and lets the process end',
  async () => {
    const files = await Array.fromAsync(glob('src/**/*.ts', { cwd: root }))
    const modules = files.filter((file) => !beginnings.includes(file)).map((file) => join(root, file))
    assert.ok(modules.length > 200)
    const said = await new Promise<string>((resolve, reject) => {
      const args = ['--input-type=module', '-e', script, JSON.stringify(modules)]
      execFile(process.execPath, args, { timeout: 240_000, cwd: root }, (error, stdout, stderr) =>
        error ? reject(new Error(stderr || String(error), { cause: error })) : resolve(stdout),
      )
    })
    assert.deepEqual(JSON.parse(said), [])
  },
)
