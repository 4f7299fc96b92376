import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { replaceNul } from '../../platform/db/replace-nul.ts'
import type { ChannelId, FileId, MessageId, RunId } from '../../shared/ids.ts'
import type { FileReference } from '../platforms/platform.ts'
import { type FileShape, plainFileName } from './contract.ts'
import type { FileReading } from './read-file.ts'

export type StoredFile = FileShape & { id: FileId; messageId: MessageId; text: string | null }

const columns = sql`id, message_id, name, media_type, size_bytes, problem`

export type NewFile = {
  id: FileId
  channelId: ChannelId
  messageId: MessageId | null
  position: number
  name: string
  sizeBytes: number | null
  reference?: FileReference | null
  reading?: FileReading | null
  content?: Buffer | null
  uploadedBy?: string | null
}

export async function insertFile(tx: Db, file: NewFile): Promise<void> {
  const { mediaType = null, text = null, problem = null } = file.reading ?? {}
  await sql`
    insert into message_files (id, channel_id, message_id, position, name, size_bytes, reference, media_type, content, text, problem,
      uploaded_by)
    values (${file.id}, ${file.channelId}, ${file.messageId}, ${file.position}, ${plainFileName(file.name)}, ${file.sizeBytes},
      ${file.reference ? JSON.stringify(file.reference) : null}, ${mediaType}, ${file.content ?? null}, ${text && replaceNul(text)},
      ${problem}, ${file.uploadedBy ?? null})`.execute(tx)
}

export type UnreadFile = { id: FileId; name: string; sizeBytes: number | null; reference: FileReference }

export async function listUnread(db: Db, messageId: MessageId): Promise<UnreadFile[]> {
  const { rows } = await sql<UnreadFile>`
    select id, name, size_bytes, reference from message_files
    where message_id = ${messageId} and reference is not null order by position`.execute(db)
  return rows
}

export async function storeReading(
  db: Db,
  id: FileId,
  { mediaType, text, problem }: FileReading,
  image: Buffer | null,
): Promise<void> {
  await sql`
    update message_files set media_type = ${mediaType}, text = ${text && replaceNul(text)}, problem = ${problem}, content = ${image},
      reference = null
    where id = ${id}`.execute(db)
}

export async function listFiles(db: Db, messageIds: readonly MessageId[]): Promise<StoredFile[]> {
  if (messageIds.length === 0) return []
  const { rows } = await sql<StoredFile>`
    select ${columns}, text from message_files where message_id = any(${messageIds}) order by message_id, position`.execute(
    db,
  )
  return rows
}

export type FileContent = {
  channelId: ChannelId
  messageId: MessageId | null
  name: string
  mediaType: string | null
  content: Buffer
  uploadedBy: string | null
}

/** Of an image, or of what was uploaded here. */
export async function findContent(db: Db, id: FileId): Promise<FileContent | null> {
  const { rows } = await sql<FileContent>`
    select channel_id, message_id, name, media_type, content, uploaded_by from message_files
    where id = ${id} and content is not null`.execute(db)
  return rows[0] ?? null
}

/** Only in the thread that it belongs to. */
export async function findFileText(db: Db, id: string, thread: MessageId): Promise<string | null> {
  const { rows } = await sql<{ text: string | null }>`
    select f.text from message_files f join messages m on m.id = f.message_id
    where f.id = ${id} and ${thread} in (m.id, m.thread_id)`.execute(db)
  return rows[0]?.text ?? null
}

/** What the author uploaded and has not sent yet belongs to the message now, in this order. Null if one is not there. */
export async function claimFiles(
  tx: Db,
  { ids, channelId, authorId }: { ids: readonly FileId[]; channelId: ChannelId; authorId: string },
  messageId: MessageId,
): Promise<FileShape[] | null> {
  const { rows } = await sql<FileShape & { position: number }>`
    update message_files f set message_id = ${messageId}, position = o.position
    from unnest(${ids}::text[]) with ordinality o (id, position)
    where f.id = o.id and f.channel_id = ${channelId} and f.uploaded_by = ${authorId} and f.message_id is null
    returning f.id, f.name, f.media_type, f.size_bytes, f.problem, o.position::int as position`.execute(tx)
  if (rows.length !== new Set(ids).size) return null
  return rows.toSorted((a, b) => a.position - b.position).map(({ position: _, ...file }) => file)
}

/** Readers of the message see them. Before it was told to anybody, so it is no change. */
export async function tellFiles(tx: Db, id: MessageId, files: readonly FileShape[]): Promise<void> {
  await sql`update messages set files = ${JSON.stringify(files)} where id = ${id}`.execute(tx)
}

export async function forgetUnsent(db: Db): Promise<void> {
  await sql`
    delete from message_files where message_id is null and created_at < now() - interval '1 day'`.execute(db)
}

/** With the runs that read them. */
export async function eraseFilesOf(
  tx: Db,
  runIds: readonly RunId[],
  messageId: MessageId | null,
): Promise<void> {
  await sql`
    with gone as (
      delete from message_files where message_id = ${messageId}
        or message_id in (select message_id from runs where id = any(${runIds})) returning message_id)
    update messages set files = null where id in (select message_id from gone)`.execute(tx)
}

export async function dropFiles(tx: Db, messageId: MessageId): Promise<void> {
  await sql`delete from message_files where message_id = ${messageId}`.execute(tx)
}

export async function countUnsent(db: Db, uploadedBy: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from message_files where uploaded_by = ${uploadedBy} and message_id is null`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}
