import { closes } from './map-outside-code.ts'
import { type Block, isListItem, openFence, readBlocks } from './read-blocks.ts'

/**
 * Splits a text into messages of at most `maxLength` characters. Code, lists and tables stay whole if they fit; otherwise each
 * piece is valid by itself: a fence is closed and reopened, a table repeats its header.
 */
export function splitMarkdown(text: string, maxLength: number): string[] {
  if (text.length <= maxLength) return [text]
  const parts: string[] = []
  let current = ''
  const whole = closeCode(text)
  const flush = () => {
    if (current.trim() !== '') parts.push(current)
    current = ''
  }
  for (const block of withHeadings(readBlocks(whole), maxLength)) {
    const own = block.lines.join('\n')
    const joined = current === '' ? own : `${current}${'\n'.repeat(block.gap + 1)}${own}`
    if (joined.length <= maxLength) {
      current = joined
      continue
    }
    flush()
    const pieces = own.length <= maxLength ? [own] : splitBlock(block, maxLength)
    parts.push(...pieces.slice(0, -1))
    current = pieces.at(-1) ?? ''
  }
  flush()
  return parts.length > 0 ? parts : [text.slice(0, maxLength)]
}

/** Code that the text leaves open is closed at its end. */
function closeCode(text: string): string {
  let open: string | null = null
  for (const line of text.split('\n')) open = stillOpen(open, line)
  return open === null ? text : `${text}\n${open}`
}

/** The mark of the code that is open after this line, or null. */
function stillOpen(open: string | null, line: string): string | null {
  if (open === null) return openFence(line)
  return closes(open, line) ? null : open
}

/** A heading at the end of a message would stand alone, so it moves to the next. */
function withHeadings(blocks: Block[], maxLength: number): Block[] {
  const merged: Block[] = []
  for (const block of blocks) {
    const before = merged.at(-1)
    const together = before && [...before.lines, ...Array<string>(block.gap).fill(''), ...block.lines]
    if (together && isHeading(before) && together.join('\n').length <= maxLength) {
      merged.splice(-1, 1, { kind: 'text', lines: together, gap: before.gap })
    } else {
      merged.push(block)
    }
  }
  return merged
}

function isHeading({ kind, lines }: Block): boolean {
  return kind === 'text' && lines.length === 1 && /^#{1,6}\s/.test(lines[0] ?? '')
}

function splitBlock(block: Block, maxLength: number): string[] {
  switch (block.kind) {
    case 'fence':
      return splitFence(block.lines, maxLength)
    case 'table':
      return splitTable(block.lines, maxLength)
    case 'list':
      return splitList(block.lines, maxLength)
    case 'text':
      return pack(block.lines, maxLength)
    default:
      throw new Error(`Unhandled block ${block.kind satisfies never}`)
  }
}

function splitFence(lines: string[], maxLength: number): string[] {
  const [first = ''] = lines
  const mark = openFence(first) ?? '```'
  const indent = first.match(/^\s*/)?.[0] ?? ''
  const open = first.length > 60 ? indent + mark : first
  const close = indent + mark
  const frame = open.length + close.length + 2
  if (frame > maxLength / 2) return pack(lines, maxLength)
  const isClosed = lines.length > 1 && (lines.at(-1) ?? '').trim().startsWith(mark)
  const inner = lines.slice(1, isClosed ? -1 : undefined)
  return pack(inner, maxLength - frame).map((piece) => `${open}\n${piece}\n${close}`)
}

function splitTable(lines: string[], maxLength: number): string[] {
  const head = lines.slice(0, 2).join('\n')
  if (head.length > maxLength / 2) return pack(lines, maxLength)
  return pack(lines.slice(2), maxLength - head.length - 1).map((rows) => `${head}\n${rows}`)
}

/** Splits between items first; an item that is too long itself is split like any text. */
function splitList(lines: string[], maxLength: number): string[] {
  const depth = lines[0]?.match(/^\s*/)?.[0].length ?? 0
  const items: string[][] = []
  let open: string | null = null
  for (const line of lines) {
    const startsItem = open === null && isListItem(line) && (line.match(/^\s*/)?.[0].length ?? 0) <= depth
    if (startsItem || items.length === 0) items.push([line])
    else items.at(-1)?.push(line)
    open = stillOpen(open, line)
  }
  const parts: string[] = []
  let current = ''
  for (const item of items) {
    const own = item.join('\n').trimEnd()
    const joined = current === '' ? own : `${current}\n${own}`
    if (joined.length <= maxLength) {
      current = joined
      continue
    }
    if (current !== '') parts.push(current)
    const pieces = own.length <= maxLength ? [own] : splitItem(item, maxLength)
    parts.push(...pieces.slice(0, -1))
    current = pieces.at(-1) ?? ''
  }
  if (current !== '') parts.push(current)
  return parts
}

function splitItem(item: string[], maxLength: number): string[] {
  const fenceAt = item.findIndex((line) => openFence(line) !== null)
  if (fenceAt < 0) return pack(item, maxLength)
  const [first = '', ...others] = item.slice(fenceAt)
  // Without the item's own mark, so that each piece of the code can be opened again.
  const code =
    fenceAt === 0
      ? first.replace(/^(\s*)(\S+)/, (_, indent, mark) => indent + ' '.repeat(mark.length))
      : first
  return [
    ...pack(item.slice(0, fenceAt), maxLength),
    ...splitMarkdown([code, ...others].join('\n'), maxLength),
  ]
}

/** As many whole lines as fit; a line that is too long is cut between sentences, then words, then anywhere. */
function pack(lines: string[], maxLength: number): string[] {
  const parts: string[] = []
  let current: string | null = null
  for (const line of lines.flatMap((long) => cutText(long, maxLength))) {
    const joined: string = current === null ? line : `${current}\n${line}`
    if (joined.length <= maxLength) {
      current = joined
    } else {
      if (current !== null) parts.push(current)
      current = line
    }
  }
  if (current !== null) parts.push(current)
  return parts
}

/** Cuts one long line: after a sentence if one ends in the second half, else between words, else between characters. */
function cutText(line: string, roomFor: number): string[] {
  // A character may need two places, and a part is never empty.
  const maxLength = Math.max(2, roomFor)
  const parts: string[] = []
  let rest = line
  while (rest.length > maxLength) {
    const at = placeToCut(rest, maxLength)
    parts.push(rest.slice(0, at))
    rest = rest.slice(at)
  }
  parts.push(rest)
  return parts
}

function placeToCut(text: string, maxLength: number): number {
  const window = text.slice(0, maxLength)
  const sentence = Math.max(...['. ', '! ', '? ', '。'].map((end) => window.lastIndexOf(end) + end.length))
  if (sentence > maxLength / 2) return sentence
  const word = window.lastIndexOf(' ') + 1
  if (word > maxLength / 2) return word
  // Never inside a surrogate pair.
  const last = window.charCodeAt(maxLength - 1)
  return last >= 0xd800 && last <= 0xdbff ? maxLength - 1 : maxLength
}
