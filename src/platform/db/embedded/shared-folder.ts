import { chmod, mkdir } from 'node:fs/promises'

const path = '/var/lib/bellhop'

/** A place that every user can reach, for root, if the checkout or the data folder is closed to other users. */
export async function sharedFolder(): Promise<string> {
  try {
    await mkdir(path, { recursive: true })
    await chmod(path, 0o755)
    return path
  } catch (cause) {
    throw new Error(
      'PostgreSQL does not run as root, and the user it would run as cannot enter this folder; ' +
        `${path}, where it could, cannot be created. Move Bellhop and its DATA_DIR to a folder that others may enter, ` +
        'start it as an ordinary user, or set DATABASE_URL.',
      { cause },
    )
  }
}
