import { type Field, listFields } from '../../platform/json/list-fields.ts'

export type UsedTool = { name: string; text: string }

const label = '_offline (no language model)_'
const greeting =
  'I am the offline agent: I summarize events and look things up, but I cannot hold a conversation. An admin can choose a language model under Settings → Model.'
const maxLines = 12
const maxItems = 8
const maxChars = 200

/** The event and the tools' answers, field by field. It claims nothing that is not written there. */
export function writeDigest(event: string | null, used: readonly UsedTool[]): string {
  if (event === null) return `${greeting}\n\n${label}`
  const fields = joinLists(listFields(event))
  const kind = fields.find(({ path }) => /^(event|type|action|kind|topic)$/i.test(path.join('.')))
  const others = fields.filter((field) => field !== kind)
  const blocks = [
    ...(kind ? [`**${shorten(kind.value)}**`] : []),
    ...(others.length > 0 ? [listEvent(others)] : []),
    // Without fields it is empty, or one value that is too long to split.
    ...(fields.length === 0 ? [shorten(event.trim() || '(empty)')] : []),
  ]
  return [...blocks, ...used.map(listAnswer), label].join('\n\n')
}

/** Where not all fit, the items of a list come first, such as the alerts of a group, and links and flags last. */
function listEvent(fields: readonly Field[]): string {
  const items = fields.length > maxLines ? nameItems(fields).slice(0, maxItems) : []
  const covered = new Set(items.flatMap(({ of }) => of))
  const others = fields.filter((field) => !covered.has(field))
  const isMinor = ({ path, value }: Field) =>
    /(^|_)(url|node_id)$/i.test(path.at(-1) ?? '') || /^(true|false)$/.test(value)
  const ranked = others.length > maxLines ? others.toSorted((a, b) => +isMinor(a) - +isMinor(b)) : others
  const shown = [...items, ...ranked.slice(0, maxLines - items.length)]
  const rest = items.length + others.length - shown.length
  const lines = shown.map(({ path, value }) => `- **${nameOf(path)}**: ${shorten(value)}`).join('\n')
  return rest === 0 ? lines : `${lines}\n\n… and ${rest} more ${rest === 1 ? 'field' : 'fields'}`
}

/** The first line is the status; the answer itself is between the delimiters. */
function listAnswer({ name, text }: UsedTool): string {
  const [status = '', ...rest] = text.split('\n')
  const inside = rest
    .join('\n')
    .replace(/^<<[^\n]*>>\n/, '')
    .replace(/\n<<end [^\n]*>>[\s\S]*$/, '')
  const fields = joinLists(listFields(inside)).slice(0, maxLines)
  const lines = fields.map(({ path, value }) => `- ${nameOf(path)}: ${shorten(value)}`)
  return [`**${name}** → ${status}`, ...(lines.length > 0 ? lines : [shorten(inside.trim())])].join('\n')
}

/** Joins a list of plain values into one field: `items.0` and `items.1` become `items`, with the values side by side. */
function joinLists(fields: readonly Field[]): Field[] {
  const joined = new Map<string, Field>()
  for (const { path, value } of fields) {
    const isItem = path.length > 1 && /^\d+$/.test(path.at(-1) ?? '')
    const own = isItem ? path.slice(0, -1) : path
    const known = joined.get(own.join('\0'))
    joined.set(own.join('\0'), { path: own, value: known ? `${known.value}, ${value}` : value })
  }
  return [...joined.values()]
}

/** What an item is called, what it says, and how it is; one of each is shown. */
const tellingKeys = [
  ['title', 'alertname', 'subject', 'headline', 'name'],
  ['summary', 'message', 'description', 'text'],
  ['status', 'state'],
]

/** The items of the first list at the top of an event whose items have a name or a text. */
function nameItems(fields: readonly Field[]): (Field & { of: readonly Field[] })[] {
  const inLists = fields.filter(({ path }) => path.length > 2 && /^\d+$/.test(path[1] ?? ''))
  for (const list of Map.groupBy(inLists, ({ path }) => path[0]).values()) {
    const items = [...Map.groupBy(list, ({ path }) => path[1]).values()].flatMap((of) => {
      const [name, text, state] = tellingKeys.map((keys) => findByKey(of, keys))
      if (!name && !text) return []
      const words = [name, text, state].flatMap((field) => (field ? [field.value] : []))
      return [{ path: of[0]?.path.slice(0, 2) ?? [], value: [...new Set(words)].join(', '), of }]
    })
    if (items.length > 0) return items
  }
  return []
}

/** The outermost field with the first of the keys that any field has. */
function findByKey(fields: readonly Field[], keys: readonly string[]): Field | undefined {
  return keys
    .map((key) => fields.find(({ path }) => path.at(-1)?.toLowerCase() === key))
    .find((field) => field !== undefined)
}

function nameOf(path: Field['path']): string {
  return shorten(path.join('.')) || 'value'
}

/** One line. Only the beginning of a very long value is looked at. */
function shorten(value: string): string {
  const line = value.slice(0, 10 * maxChars).replaceAll(/\s+/g, ' ')
  return line.length > maxChars || value.length > 10 * maxChars ? `${line.slice(0, maxChars)}…` : line
}
