import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import { sharedTestServer } from './postgres.ts'
import { startPostgresIn } from './start-postgres-in.ts'
import { temporaryFolder } from './temporary-folder.ts'

const run = promisify(execFile)
let model: Promise<string> | undefined
const opened = new AsyncDisposableStack()
after(() => opened.disposeAsync())

/**
 * A data folder with an empty cluster, as an earlier start left it, for tests that are not about its creation: initdb takes a
 * second, a copy of its result a tenth. Returns the path.
 */
export async function prepareDataFolder(path: string): Promise<string> {
  model ??= findModel()
  await mkdir(path, { recursive: true })
  await chmod(path, process.getuid?.() === 0 ? 0o711 : 0o700)
  await run('cp', ['-a', join(await model, 'postgres'), path])
  return path
}

/** Made by the first who needs it, and kept with the server of the run, which is removed in the end. */
async function findModel(): Promise<string> {
  const server = sharedTestServer()
  const home = server
    ? dirname(new URL(server).searchParams.get('host') ?? '')
    : opened.use(await temporaryFolder()).path
  const path = join(home, 'model')
  const isThere = () => stat(path).then(Boolean, () => false)
  if (await isThere()) return path
  const unfinished = await mkdtemp(`${path}-`)
  await (await startPostgresIn(unfinished))[Symbol.asyncDispose]()
  try {
    await rename(unfinished, path)
  } catch (error) {
    // Another process was faster.
    if (!(await isThere())) throw error
    await rm(unfinished, { recursive: true })
  }
  return path
}
