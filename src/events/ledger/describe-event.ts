import { type Field, listFields } from '../../platform/json/list-fields.ts'
import { type EventHeaders, isCredential } from '../inbox/select-headers.ts'

type Described = {
  headers: EventHeaders
  /** The first bytes of the JSON; a list reads no more of a body. Null if it was erased. */
  beginning: Buffer | null
  isWhole: boolean
}

/** Headers in which senders name the kind of event. */
const kindHeader =
  /^(ce-type|linear-event|sentry-hook-resource|x-[a-z0-9-]*(event|topic)(-(key|name|type|kind))?)$/
const kindKeys = ['event', 'event_type', 'eventtype', 'event_name', 'type', 'topic', 'action']
/** Keys that hold a title, the most telling first. */
const titleKeys = ['title', 'subject', 'headline', 'summary', 'alertname', 'message', 'text', 'name']
const stateKeys = ['status', 'state']
const subjectKeys = [
  ...titleKeys,
  ...['full_name', 'order_number', 'number', 'key', 'identifier', 'reference', 'id', ...stateKeys],
]
const longest = 160

/** An event in a few words for a list: its type, and what it is about. Null if nothing tells. */
export function describeEvent(event: Described): string | null {
  return classifyEvent(event).summary
}

/** The type of an event, as far as its sender names one, and what it is about. */
export function classifyEvent({ headers, beginning, isWhole }: Described): {
  type: string | null
  summary: string | null
} {
  const said = Object.entries(headers).find(([name]) => kindHeader.test(name) && !isCredential(name))?.[1]
  const text = beginning?.toString('utf8').replace(/^\uFEFF/, '') ?? ''
  const fields = listFields(text, isWhole ? text.length : text.length - 1).filter(
    ({ path }) => !path.some(isCredential),
  )
  if (said === undefined && Object.keys(headers).length === 0 && isDueTime(fields))
    return { type: null, summary: fields.find(({ path: [key] }) => key === 'why')?.value ?? null }
  // In a batch, the fields of each event are outer ones.
  const isBatch = fields.every(({ path }) => path.length > 1 && /^\d+$/.test(path[0] ?? ''))
  const outer = fields.filter(({ path }) => path.length === (isBatch ? 2 : 1))
  const common = fields.filter(speaksForAll(fields))
  const subject = findByKey(common, titleKeys) ?? findByKey(fields, subjectKeys)
  const isOne = subject && (isTitle(subject) || isBatch) && !common.includes(subject)
  const others = isOne ? ', and others' : ''
  // An alert has the same title when it is resolved, so its state is shown too.
  const state = subject && isTitle(subject) ? findByKey(outer, stateKeys) : undefined
  // Some senders name the type in a header and in the body, too.
  const inBody = findByKey(
    outer.filter(({ value }) => value !== said),
    kindKeys,
  )
  const told = [said, inBody?.value].filter((word) => word !== undefined)
  const type = plain(told.length > 0 ? told.join(' ') : (state?.value ?? ''))
  const about = subject
    ? describeField(subject) + others
    : type === ''
      ? fields.slice(0, 3).map(describeField).join(', ')
      : ''
  const line = [type, about === type ? '' : about].filter((word) => word !== '').join(': ')
  return { type: type === '' ? null : cut(type), summary: line === '' ? null : cut(line) }
}

/** What a schedule puts into its own events: all but the reason is shown beside them, as their source. */
function isDueTime(fields: readonly Field[]): boolean {
  const [type, title, dueAt] = fields
  return type?.value === 'schedule' && title?.path[0] === 'title' && dueAt?.path[0] === 'dueAt'
}

/** The outermost field with the first of the keys that any field has. */
function findByKey(fields: readonly Field[], keys: readonly string[]): Field | undefined {
  for (const key of keys) {
    const found = fields.find(({ path }) => path.at(-1)?.toLowerCase() === key)
    if (found) return found
  }
  return undefined
}

/** In a list of several alerts or items, the title of one says nothing about the others unless they all have it. */
function speaksForAll(fields: readonly Field[]): (field: Field) => boolean {
  const placeOf = ({ path }: Field) => path.map((key) => (/^\d+$/.test(key) ? '*' : key)).join('\0')
  const values = Map.groupBy(fields, placeOf)
  return (field) => values.get(placeOf(field))?.every(({ value }) => value === field.value) ?? true
}

/** A title needs no explanation; a number is shown with its key. */
function describeField(field: Field): string {
  const key = field.path.at(-1) ?? ''
  return plain(key === '' || isTitle(field) ? field.value : `${key} ${field.value}`)
}

function isTitle({ path }: Field): boolean {
  return titleKeys.includes(path.at(-1)?.toLowerCase() ?? '')
}

function plain(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
}

function cut(line: string): string {
  return line.length <= longest ? line : `${line.slice(0, longest - 1).toWellFormed()}…`
}
