import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeIn } from './install-packages.mjs'
import { runCommand } from './run-command.mjs'

/** True if dist/dashboard was built from the current files. */
export function isDashboardBuilt(root) {
  if (!existsSync(join(root, 'dashboard/index.html'))) return true
  if (!existsSync(join(root, 'dist/dashboard/index.html'))) return false
  try {
    return readFileSync(noteIn(root), 'utf8') === fingerprint(root)
  } catch {
    return false
  }
}

export async function buildDashboard(root) {
  const made = fingerprint(root)
  const target = join(root, 'dist/dashboard')
  const fresh = `${target}.new`
  const { NODE_ENV: _mode, ...env } = process.env
  await runCommand(
    'Building the dashboard',
    nodeIn(root),
    [
      join(root, 'node_modules/vite/bin/vite.js'),
      'build',
      join(root, 'dashboard'),
      `--outDir=${fresh}`,
      '--emptyOutDir',
      '--logLevel=warn',
    ],
    { cwd: root, env },
  )
  // Replaced as a whole: a running server must not serve half of it.
  rmSync(`${target}.old`, { recursive: true, force: true })
  if (existsSync(target)) renameSync(target, `${target}.old`)
  renameSync(fresh, target)
  rmSync(`${target}.old`, { recursive: true, force: true })
  writeFileSync(noteIn(root), made)
}

function noteIn(root) {
  return join(root, 'dist/dashboard.made-from')
}

/** Everything that the bundle may contain. It imports from all of src, which is read in a few milliseconds. */
function fingerprint(root) {
  const hash = createHash('sha256')
  const folders = ['dashboard', 'src'].map((name) => join(root, name))
  for (const file of [...folders.flatMap(filesBelow), join(root, 'package-lock.json')]) {
    const content = readFileSync(file)
    hash.update(`${file.slice(root.length)} ${content.length}\n`).update(content)
  }
  return `${hash.digest('hex')}\n`
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}
