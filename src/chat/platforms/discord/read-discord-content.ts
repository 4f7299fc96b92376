import { z } from 'zod'
import { agentMention } from '../../chat.ts'
import { nameFiles } from '../../text/name-files.ts'
import { writeLink } from '../../text/read-attachment.ts'
import type { Connection } from '../connection.ts'
import type { ThreadMessage } from '../thread-message.ts'

export const personShape = z.looseObject({
  id: z.string(),
  username: z.string().default(''),
  global_name: z.string().nullish(),
  bot: z.boolean().optional(),
})
export type Person = z.output<typeof personShape>
export const attachmentsShape = z
  .array(
    z.looseObject({
      filename: z.string().nullish(),
      size: z.int().nullish().catch(null),
      url: z.string().nullish(),
    }),
  )
  .default([])
  .catch([])

const text = z.string().nullish().catch(null)
const embedShape = z.looseObject({
  title: text,
  url: text,
  description: text,
  author: z.looseObject({ name: text }).nullish().catch(null),
  fields: z
    .array(z.looseObject({ name: text, value: text }))
    .nullish()
    .catch(null),
  footer: z.looseObject({ text }).nullish().catch(null),
})
const rowShape = z.looseObject({
  components: z
    .array(z.looseObject({ label: text, url: text }))
    .nullish()
    .catch(null),
})
export const spokenShape = z.looseObject({
  id: z.string(),
  type: z.number().default(0),
  content: z.string().default(''),
  author: personShape,
  webhook_id: z.string().optional(),
  timestamp: text,
  mentions: z.array(personShape).default([]).catch([]),
  embeds: z.array(embedShape).nullish().catch(null),
  components: z.array(rowShape).nullish().catch(null),
  attachments: attachmentsShape,
})
type Spoken = z.output<typeof spokenShape>

/** With what an app shows in embeds and behind buttons. */
export function readSpoken({ settings }: Connection, spoken: Spoken): ThreadMessage {
  const { id, author, webhook_id: webhook, timestamp } = spoken
  const buttons = (spoken.components ?? [])
    .flatMap(({ components }) => components ?? [])
    .flatMap(({ label, url }) => (url ? writeLink(label || url, url) : []))
  const parts = [
    writeNames(spoken, settings.botUserId ?? '', []),
    ...(spoken.embeds ?? []).map(readEmbed),
    ...buttons,
  ]
  return {
    externalId: id,
    author: {
      id: author.id,
      name: nameOf(author) ?? author.id,
      kind: author.id === settings.botUserId ? 'us' : author.bot || webhook ? 'app' : 'person',
    },
    text: nameFiles(
      parts.filter(Boolean).join('\n\n'),
      spoken.attachments.map(({ filename }) => filename),
    ),
    at: (timestamp && !Number.isNaN(Date.parse(timestamp)) ? new Date(timestamp) : timeOf(id)).toISOString(),
  }
}

function readEmbed({ title, url, description, author, fields, footer }: z.output<typeof embedShape>): string {
  return [
    author?.name,
    url ? writeLink(title || url, url) : title,
    description,
    ...(fields ?? []).map(({ name, value }) => [name, value].filter(Boolean).join(': ')),
    footer?.text,
  ]
    .filter(Boolean)
    .join('\n')
}

export function writeNames(
  { content, mentions }: { content: string; mentions: readonly Person[] },
  botId: string,
  roles: string[],
): string {
  return content.replaceAll(/<@[!&]?(\d+)>/g, (mark, id: string) => {
    if (id === botId || roles.includes(id)) return agentMention
    const person = mentions.find((one) => one.id === id)
    return person ? `@${nameOf(person)}` : mark
  })
}

export function nameOf({ global_name: shown, username }: Person): string | null {
  return shown || username || null
}

const discordEpochMs = 1_420_070_400_000

/** Discord's ids begin with the time. */
function timeOf(id: string): Date {
  return new Date(/^\d+$/.test(id) ? Number((BigInt(id) >> 22n) + BigInt(discordEpochMs)) : 0)
}
