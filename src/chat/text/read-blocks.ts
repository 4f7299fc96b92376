import { closes } from './map-outside-code.ts'

/** A piece of Markdown that should stay in one message. `gap` is the number of blank lines before it. */
export type Block = { kind: 'fence' | 'list' | 'table' | 'text'; lines: string[]; gap: number }

/** What follows backticks has none, or it is code inside a line. */
const fenceMark = /^\s*(`{3,}(?=[^`]*$)|~{3,})/
const fenceInItem = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(`{3,}(?=[^`]*$)|~{3,})/
const listItem = /^\s*([-*+]|\d{1,9}[.)])(\s|$)/

/** Splits Markdown into blocks. No line is lost: the blocks and their gaps are the text. */
export function readBlocks(markdown: string): Block[] {
  const lines = markdown.split('\n')
  const blocks: Block[] = []
  let at = 0
  while (at < lines.length) {
    let gap = 0
    while (at < lines.length && isBlank(lines[at])) {
      at++
      gap++
    }
    const first = lines[at]
    if (first === undefined) break
    const end = endOfBlock(lines, at, first)
    const own = lines.slice(at, end)
    blocks.push({ kind: kindOf(own), lines: own, gap })
    at = end
  }
  return blocks
}

function endOfBlock(lines: string[], start: number, first: string): number {
  if (fenceMark.test(first)) return endOfFence(lines, start)
  return listItem.test(first) ? endOfList(lines, start) : endOfText(lines, start)
}

/** The mark of the code that this line opens, even if it is the first line of a list item. */
export function openFence(line: string): string | null {
  return (line.match(fenceMark) ?? line.match(fenceInItem))?.[1] ?? null
}

export function isListItem(line: string): boolean {
  return listItem.test(line)
}

function kindOf(lines: string[]): Block['kind'] {
  const [first = ''] = lines
  if (fenceMark.test(first)) return 'fence'
  if (listItem.test(first)) return 'list'
  return lines.length > 2 && lines.every((line) => /^\s*\|/.test(line)) ? 'table' : 'text'
}

function endOfFence(lines: string[], start: number): number {
  const fence = openFence(lines[start] ?? '') ?? ''
  for (let at = start + 1; at < lines.length; at++) if (closes(fence, lines[at] ?? '')) return at + 1
  return lines.length
}

/** A list continues over indented lines, code in its items, and blank lines between items. */
function endOfList(lines: string[], start: number): number {
  let end = start
  for (let at = start; at < lines.length; ) {
    const line = lines[at] ?? ''
    if (isBlank(line)) {
      at++
    } else if (fenceInItem.test(line) || (/^\s+/.test(line) && fenceMark.test(line))) {
      at = end = endOfFence(lines, at)
    } else if (listItem.test(line) || /^\s{2,}/.test(line)) {
      at = end = at + 1
    } else if (end === at && at > start && !fenceMark.test(line) && !/^#{1,6}\s/.test(line)) {
      // A lazy continuation of the paragraph in the item above.
      at = end = at + 1
    } else {
      break
    }
  }
  return end
}

function endOfText(lines: string[], start: number): number {
  let at = start + 1
  while (at < lines.length) {
    const line = lines[at] ?? ''
    if (isBlank(line) || fenceMark.test(line) || listItem.test(line)) break
    at++
  }
  return at
}

function isBlank(line: string | undefined): boolean {
  return line !== undefined && line.trim() === ''
}
