import { chmod, mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Deleted when disposed. Other users may pass through it, as through most folders that contain a checkout. */
export async function temporaryFolder(mode = 0o711): Promise<AsyncDisposable & { path: string }> {
  const folder = await mkdtempDisposable(join(tmpdir(), 'bellhop-test-'))
  await chmod(folder.path, mode)
  return { path: folder.path, [Symbol.asyncDispose]: folder.remove }
}
