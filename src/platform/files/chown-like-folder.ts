import { type FileHandle, stat } from 'node:fs/promises'

/** What root writes into somebody's folder must belong to that person, who could not use the folder otherwise. */
export async function chownLikeFolder(file: FileHandle, folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  await file.chown(uid, gid)
}
