import { toolLabel } from '../tool-label.ts'
import { templateOf } from './audit-templates.ts'
import { fieldWords } from './field-words.ts'

type Entry = {
  actor: { name: string }
  action: string
  subject: string | null
  subjectName: string | null
  /** What an approval sends, such as `POST /orders/1001/refund`; null for other things, and once it is erased. */
  request: string | null
  detail: Record<string, unknown> | null
}

/** Plain words, or a thing that may have a page. */
export type SentencePart = string | { id: string; words: string }

type Sentence = {
  parts: SentencePart[]
  /** Facts that the sentence does not tell. */
  rest: [name: string, value: string][]
}

/** An entry of the audit log as a whole sentence: in the dashboard, in the API and in the file that is downloaded. */
export function auditSentence(entry: Entry): Sentence {
  const detail = entry.detail ?? {}
  const told = new Set<string>(
    ['name', 'email', 'tool'].filter((fact) => textOf(detail[fact]) === nameOf(entry)),
  )
  if (entry.request !== null) told.add('digest')
  for (const fact of ['dryRun', 'paused']) told.add(fact)
  const fillIn = (fact: string): SentencePart | null => {
    if (fact === 'who') return entry.actor.name
    if (fact === 'thing') return thingOf(entry)
    if (fact === 'request') return entry.request
    if (fact === 'changes') return inWords(detail, told)
    const text = textOf(detail[fact])
    if (text === '') return null
    told.add(fact)
    if (fact.endsWith('Seconds')) return duration(Number(text))
    return fact === 'rule' ? text.replaceAll('-', ' ') : text
  }
  const parts: SentencePart[] = templateOf(entry.action, detail)
    .split(/(\[[^\]]*\])/)
    .flatMap((piece): SentencePart[] => {
      const isOptional = piece.startsWith('[')
      const filled = (isOptional ? piece.slice(1, -1) : piece)
        .split(/(\{\w+\})/)
        .map((word) => (word.startsWith('{') ? fillIn(word.slice(1, -1)) : word))
      return isOptional && filled.includes(null)
        ? []
        : filled.filter((part): part is SentencePart => part !== null && part !== '')
    })
  const rest = Object.entries(detail).flatMap(([name, value]): [string, string][] =>
    told.has(name) || textOf(value) === '' ? [] : [[name, inFactWords(name, value)]],
  )
  return { parts, rest }
}

type Changes = Record<string, [before: unknown, after: unknown]>

/** `prompt; maximum permission: write → read`: all that changed, and how, as far as the entry has it. */
function inWords(detail: Record<string, unknown>, told: Set<string>): string | null {
  const changes = (detail.changes ?? {}) as Changes // as src/revisions/compare-documents.ts writes it
  const fields = (detail.fields ?? []) as string[] // the names in a patch
  const known = Object.keys(changes)
  const others = fields.filter((field) => !known.some((one) => one === field || one.startsWith(`${field}.`)))
  for (const fact of ['fields', 'changes', ...known]) told.add(fact)
  const parts = [
    ...others.map(fieldWords),
    ...Object.entries(changes).map(([field, [before, after]]) => {
      const name = fieldWords(field.replace(/(Ms|Seconds)$/, '').replace(/^\w+\./, ''))
      return `${name}: ${wordOf(field, before)} → ${wordOf(field, after)}`
    }),
  ]
  return parts.length === 0 ? null : parts.join(known.length > 0 ? '; ' : ', ')
}

function wordOf(field: string, value: unknown): string {
  if (value === null || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value === 'number' && /(Ms|Seconds)$/.test(field))
    return duration(field.endsWith('Ms') ? value / 1000 : value)
  return String(value)
}

const kinds: Record<string, string> = {
  hook: 'a webhook',
  sched: 'a schedule',
  con: 'a connector',
  tool: 'a tool',
  run: 'a run',
  apr: 'a request',
  evt: 'an event',
  chan: 'a channel',
  usr: 'a user',
  key: 'an API key',
  ses: 'a session',
  wsp: 'a workspace',
  pol: 'a policy',
  grp: 'a group',
}

function thingOf(entry: Entry): SentencePart | null {
  const name = nameOf(entry)
  if (entry.subject === null) return name || null
  const [kind = ''] = entry.subject.split('_')
  return { id: entry.subject, words: name || (kinds[kind] ?? entry.subject) }
}

/** The name at that time, which people know better than the id. Some entries have it among their facts, some not at all. */
function nameOf({ subjectName, detail }: Entry): string {
  const { name, email, tool } = detail ?? {}
  const found = [subjectName, name, email, tool].find((text) => typeof text === 'string' && text !== '')
  return typeof found === 'string' ? toolLabel(found) : ''
}

/** By which way somebody decided. */
const ways: Record<string, string> = { api: 'dashboard or API', card: 'card in the chat' }

function inFactWords(name: string, value: unknown): string {
  const text = textOf(value)
  return name === 'via' ? (ways[text] ?? text) : text
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  if (typeof value === 'string') return toolLabel(value)
  if (typeof value !== 'object') return String(value)
  return Object.entries(value)
    .filter(([, part]) => textOf(part) !== '')
    .map(([name, part]) => `${fieldWords(name)} ${textOf(part)}`)
    .join(', ')
}

function duration(seconds: number): string {
  for (const [unit, length] of [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ] as const)
    if (seconds >= length && seconds % length === 0)
      return `${seconds / length} ${unit}${seconds === length ? '' : 's'}`
  return `${seconds} seconds`
}
