import { z } from 'zod'
import { nameFiles } from '../../text/name-files.ts'
import { attachmentShape, readAttachment, writeLink } from '../../text/read-attachment.ts'
import { readMrkdwn } from './read-mrkdwn.ts'

const blocksShape = z.array(z.unknown()).nullish().catch(null)
export const contentShape = z.looseObject({
  text: z.string().nullish().catch(''),
  blocks: blocksShape,
  attachments: z
    .array(attachmentShape.extend({ blocks: blocksShape }))
    .nullish()
    .catch(null),
  files: z
    .array(z.looseObject({ name: z.string().nullish() }))
    .nullish()
    .catch(null),
})

/** Slack nests a few levels; more is not from Slack. */
const deepest = 12

/**
 * A message as Markdown. Posts of apps often have an empty `text`, or one that repeats their blocks: so blocks count first, then
 * `text`, and attachments in any case.
 */
export function readSlackContent({
  text,
  blocks,
  attachments,
  files,
}: z.output<typeof contentShape>): string {
  const parts = [
    readBlocks(blocks) || readMrkdwn(text ?? ''),
    ...(attachments ?? []).map((attachment) =>
      [readBlocks(attachment.blocks), readAttachment(attachment, readMrkdwn)].filter(Boolean).join('\n'),
    ),
  ].filter((part) => part.trim() !== '')
  return nameFiles(
    parts.join('\n\n').trim(),
    (files ?? []).map(({ name }) => name),
  )
}

const nodeShape = z.looseObject({
  type: z.string(),
  text: z.unknown().optional(),
  url: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  user_id: z.string().optional().catch(undefined),
  channel_id: z.string().optional().catch(undefined),
  fallback: z.string().optional().catch(undefined),
  range: z.string().optional().catch(undefined),
  alt_text: z.string().optional().catch(undefined),
  elements: z.array(z.unknown()).optional().catch(undefined),
  fields: z.array(z.unknown()).optional().catch(undefined),
  rows: z.array(z.array(z.unknown())).optional().catch(undefined),
  accessory: z.unknown().optional(),
  title: z.unknown().optional(),
})

function readBlocks(blocks: readonly unknown[] | null | undefined): string {
  return (blocks ?? [])
    .map((block) => readNode(block, 0))
    .filter((text) => text.trim() !== '')
    .join('\n')
}

/** A block, an element of one, or a text object. What is unknown is read for the texts inside it. */
function readNode(given: unknown, depth: number): string {
  const node = depth < deepest ? nodeShape.safeParse(given).data : undefined
  if (!node) return ''
  const inside = (nodes: readonly unknown[] | undefined, between: string) =>
    (nodes ?? [])
      .map((one) => readNode(one, depth + 1))
      .filter(Boolean)
      .join(between)
  const label = typeof node.text === 'string' ? node.text : readNode(node.text, depth + 1)
  switch (node.type) {
    case 'mrkdwn':
      return readMrkdwn(label)
    case 'plain_text':
    case 'markdown':
    case 'text':
    case 'raw_text':
      return label
    case 'link':
      return writeLink(label || node.url || '', node.url ?? '')
    case 'button':
      return node.url ? writeLink(label || node.url, node.url) : ''
    case 'user':
      return `@${node.user_id ?? ''}`
    case 'channel':
      return `#${node.channel_id ?? ''}`
    case 'broadcast':
      return `@${node.range ?? ''}`
    case 'emoji':
      return `:${node.name ?? ''}:`
    case 'date':
      return node.fallback ?? ''
    case 'image':
      return [readNode(node.title, depth + 1), node.alt_text].filter(Boolean).join(' ')
    case 'rich_text_section':
      return inside(node.elements, '')
    case 'rich_text_preformatted':
      return `\`\`\`\n${inside(node.elements, '')}\n\`\`\``
    case 'rich_text_quote':
      return inside(node.elements, '').replaceAll(/^/gm, '> ')
    case 'rich_text_list':
      return (node.elements ?? []).map((item) => `- ${readNode(item, depth + 1)}`).join('\n')
    case 'table':
      return (node.rows ?? []).map((row) => `| ${inside(row, ' | ')} |`).join('\n')
    case 'context':
    case 'actions':
      return inside(node.elements, ' ')
    default:
      return [
        label,
        inside(node.fields, '\n'),
        inside(node.elements, '\n'),
        readNode(node.accessory, depth + 1),
        readNode(node.title, depth + 1),
      ]
        .filter(Boolean)
        .join('\n')
  }
}
