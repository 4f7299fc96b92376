import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../../platform/db/database.ts'
import type { MessageId } from '../../shared/ids.ts'
import type { Platform } from '../platforms/platform.ts'
import { PlatformError } from '../platforms/platform-error.ts'
import { changeMessage } from '../store.ts'
import { maxFileBytes } from './contract.ts'
import { type FileReading, readFile } from './read-file.ts'
import { listFiles, listUnread, storeReading, type UnreadFile } from './store.ts'

const maxTries = 3
const longestPauseMs = 20_000

/** Before the run that answers the message. What a process that died has read is not read again. */
export async function fetchFiles(db: Db, platform: Platform, messageId: MessageId): Promise<void> {
  const unread = await listUnread(db, messageId)
  if (unread.length === 0) return
  await Promise.all(unread.map((file) => fetchFile(db, platform, file)))
  const files = (await listFiles(db, [messageId])).map(({ messageId: _, text: __, ...shown }) => shown)
  await changeMessage(db, messageId, { files })
}

async function fetchFile(db: Db, platform: Platform, { id, name, sizeBytes, reference }: UnreadFile) {
  const bytes =
    (sizeBytes ?? 0) > maxFileBytes
      ? `files are read up to ${maxFileBytes / 1024 / 1024} MB`
      : await download(platform, reference)
  const reading: FileReading =
    typeof bytes === 'string' ? { mediaType: null, text: null, problem: bytes } : await readFile(name, bytes)
  const isImage = reading.problem === null && reading.text === null
  await storeReading(db, id, reading, isImage && typeof bytes !== 'string' ? bytes : null)
}

/** The bytes, or why there are none. */
async function download(platform: Platform, reference: UnreadFile['reference']): Promise<Buffer | string> {
  if (!platform.fetchFile) return 'this platform does not hand out files'
  for (let tries = 1; ; tries++) {
    try {
      return await platform.fetchFile(reference)
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      const waitMs = error.retryAfterMs ?? 500
      const isLasting = error.kind === 'refused' || error.kind === 'revoked'
      if (isLasting || tries >= maxTries || waitMs > longestPauseMs) return error.message
      await pause(waitMs)
    }
  }
}
