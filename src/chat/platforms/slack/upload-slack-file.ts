import { z } from 'zod'
import { apiUrl, type Connection } from '../connection.ts'
import type { OutgoingPart } from '../platform.ts'
import { PlatformError } from '../platform-error.ts'
import { callSlack, defaultApiUrl } from './call-slack.ts'

const ticket = z.looseObject({ upload_url: z.url(), file_id: z.string() })

/** Slack gives an address for the bytes; nobody sees the file before the last call shares it. */
export async function uploadSlackFile(
  connection: Connection,
  { file, text, channel, thread }: OutgoingPart & { file: string },
): Promise<{ externalId: string }> {
  const bytes = Buffer.from(text)
  const asked = { filename: file, length: bytes.length }
  const { upload_url: url, file_id: id } = ticket.parse(
    await callSlack(connection, 'files.getUploadURLExternal', asked),
  )
  const { origin, protocol, hostname } = new URL(url)
  const isSlack = protocol === 'https:' && hostname === 'files.slack.com'
  if (!isSlack && origin !== new URL(apiUrl(connection, defaultApiUrl)).origin)
    throw new PlatformError('refused', `Slack named ${hostname} for a file, which is not Slack.`)
  const stored = await connection.fetch(url, { method: 'POST', body: bytes })
  if (!stored.ok) throw new PlatformError('refused', `Slack did not take the file (${stored.status}).`)
  await callSlack(connection, 'files.completeUploadExternal', {
    files: [{ id, title: file }],
    channel_id: channel,
    ...(thread ? { thread_ts: thread } : {}),
  })
  return { externalId: id }
}
