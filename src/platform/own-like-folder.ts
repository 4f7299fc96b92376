import { type FileHandle, stat } from 'node:fs/promises'

/** What root writes into somebody's folder belongs to that person, who could not use the folder any more otherwise. */
export async function ownLikeFolder(file: FileHandle, folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  await file.chown(uid, gid)
}
