import { chmod, chown, mkdir, stat } from 'node:fs/promises'

/** A new folder with the mode of another one, and as root with its owner, too. */
export async function makeFolderLike(model: string, folder: string): Promise<void> {
  const { mode, uid, gid } = await stat(model)
  await mkdir(folder)
  await chmod(folder, mode & 0o777)
  if (process.getuid?.() === 0) await chown(folder, uid, gid)
}
