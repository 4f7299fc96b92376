import { findContent, listFiles, type StoredFile } from '../../chat/files/store.ts'
import type { MessageRow } from '../../chat/store.ts'
import type { Db } from '../../platform/db/database.ts'
import { delimit } from './delimiter.ts'
import { pageNote } from './paging/page-note.ts'
import { readPage } from './paging/read-page.ts'
import { shareRoom } from './paging/share-room.ts'
import { oneLine } from './turn-note.ts'

type Look = { delimiter: string; maxBytes: number; takesImages: boolean }
type AttachedFile = StoredFile & { image: Buffer | null }
type UserMessage = {
  role: 'user'
  content:
    | string
    | (
        | { type: 'text'; text: string }
        | { type: 'file'; mediaType: string; data: { type: 'data'; data: string } }
      )[]
}

/** What is attached to these messages, with the bytes of images. */
export async function listFilesOf(db: Db, messages: readonly MessageRow[]): Promise<AttachedFile[]> {
  const ids = messages.flatMap(({ id, files }) => (files?.length ? [id] : []))
  const files = await listFiles(db, ids)
  const contents = await Promise.all(
    files.map(({ id, text, problem }) => (text === null && problem === null ? findContent(db, id) : null)),
  )
  return files.map((file, at) => ({ ...file, image: contents[at]?.content ?? null }))
}

/** The turn with its files: text in part, between marks; images for models that take them; and why the rest cannot be read. */
export async function addFiles(
  turn: { role: 'user'; content: string },
  files: readonly AttachedFile[],
  look: Look,
): Promise<UserMessage> {
  if (files.length === 0) return turn
  const texts: string[] = [turn.content]
  // Small ones whole, and the rest of the room for the long ones.
  const share = shareRoom(
    files.map((file) => Buffer.byteLength(file.text ?? '')),
    look.maxBytes,
  )
  for (const file of files) texts.push(await composeFile(file, share, look))
  const text = texts.join('\n\n')
  const images = look.takesImages
    ? files.flatMap(({ image, mediaType }) => (image && mediaType ? [{ image, mediaType }] : []))
    : []
  if (images.length === 0) return { role: 'user', content: text }
  return {
    role: 'user',
    content: [
      { type: 'text', text },
      ...images.map(({ image, mediaType }) => ({
        type: 'file' as const,
        mediaType,
        data: { type: 'data' as const, data: image.toString('base64') },
      })),
    ],
  }
}

async function composeFile(
  { id, name, mediaType, sizeBytes, text, problem, image }: AttachedFile,
  maxBytes: number,
  { delimiter, takesImages }: Look,
): Promise<string> {
  const facts = [mediaType, sizeBytes === null ? null : `${sizeBytes} bytes`].filter(Boolean).join(', ')
  const named = `${oneLine(name)}${facts === '' ? '' : ` (${facts})`}`
  if (text !== null) {
    const page = await readPage(text, { maxBytes })
    const note = pageNote(id, page, {})
    return [delimit(delimiter, `file ${named}`, page.text), ...(note === null ? [] : [note])].join('\n')
  }
  const why =
    problem ?? (image === null ? 'it was erased' : takesImages ? null : 'this model takes no images')
  return why === null
    ? delimit(delimiter, 'attached image', `${named}. The image follows.`)
    : delimit(delimiter, 'attached file that cannot be read', `${named}: ${why}.`)
}
