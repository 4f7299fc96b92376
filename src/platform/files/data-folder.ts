import { chmod, mkdir, open, readdir, readFile, rename } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { hasCode } from '../has-code.ts'
import { chownLikeFolder } from './chown-like-folder.ts'
import { lockFolder } from './folder-lock.ts'

/** Where one installation keeps everything that is not in an external database. */
export type DataFolder = AsyncDisposable & {
  readonly path: string
  /** The text of a private file here. Created once, and flushed to disk before it is used, since it may never change again. */
  readOrCreate(name: string, make: () => string): Promise<string>
}

/** Exclusively ours until disposed, or the process dies. */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  const path = resolve(folder)
  await using opened = new AsyncDisposableStack()
  try {
    await createFolder(path)
    opened.use(await lockFolder(path))
  } catch (error) {
    throw explained(path, error)
  }
  const open = opened.move()
  return {
    path,
    readOrCreate: (name, make) => readOrCreate(join(path, name), make),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/**
 * As root, the database runs as another user, who must be able to pass through and nothing more. A folder that is in use keeps
 * its mode: its owner chose it.
 */
async function createFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true })
  const isNew = (await readdir(path)).length === 0
  if (isNew) await chmod(path, process.getuid?.() === 0 ? 0o711 : 0o700)
}

async function readOrCreate(file: string, make: () => string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
  const text = make()
  await writeDurably(file, text)
  return text
}

/** Complete or not at all, even after a power cut: a half-written key would lose every secret sealed with it. */
export async function writeDurably(file: string, text: string): Promise<void> {
  const unfinished = `${file}.new`
  await using handle = await open(unfinished, 'w', 0o600)
  await chownLikeFolder(handle, dirname(file))
  await handle.writeFile(text)
  await handle.sync()
  await rename(unfinished, file)
  await using folder = await open(dirname(file), 'r')
  await folder.sync()
}

const notOurs = (path: string) =>
  `Bellhop may not write to its data folder ${path}: it belongs to another user. ` +
  'Start Bellhop as that user, or name another folder with DATA_DIR.'
const noFolder = (path: string) => `${path} is not a folder. Name a folder with DATA_DIR.`

/** What a failure means for the person who started us, by its code. */
const meanings: Readonly<Record<string, (path: string) => string>> = {
  EACCES: notOurs,
  EPERM: notOurs,
  // Node also reports a read-only disk like this when several folders must be created.
  ENOENT: (path) =>
    `The data folder ${path} cannot be created: its parent folder does not exist or is on a read-only disk. Name another one with DATA_DIR.`,
  EROFS: (path) => `The data folder ${path} is on a read-only disk. Name another one with DATA_DIR.`,
  ENOSPC: (path) => `The disk that holds the data folder ${path} is full. Free some space and start again.`,
  ENOTDIR: noFolder,
  EEXIST: noFolder,
}

function explained(path: string, error: unknown): unknown {
  const meaning = error instanceof Error && 'code' in error ? meanings[String(error.code)] : undefined
  return meaning ? new Error(meaning(path), { cause: error }) : error
}
