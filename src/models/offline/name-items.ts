import type { Field } from '../../platform/json/list-fields.ts'

/** What an item is called, what it says, and how it is; one of each is told. */
const nameKeys = ['title', 'alertname', 'subject', 'headline', 'name']
const textKeys = ['summary', 'message', 'description', 'text']
const stateKeys = ['status', 'state']

/** A field that stands for several: the item's own. */
type Item = Field & { of: readonly Field[] }

/** The items of the first list at the top of an event whose items have a name or a text, such as the alerts of a group. */
export function nameItems(fields: readonly Field[]): Item[] {
  const inLists = fields.filter(({ path }) => path.length > 2 && /^\d+$/.test(path[1] ?? ''))
  for (const own of Map.groupBy(inLists, ({ path }) => path[0]).values()) {
    const items = [...Map.groupBy(own, ({ path }) => path[1]).values()].flatMap(nameItem)
    if (items.length > 0) return items
  }
  return []
}

function nameItem(of: readonly Field[]): Item[] {
  const [name, text, state] = [nameKeys, textKeys, stateKeys].map((keys) => findByKey(of, keys))
  if (!name && !text) return []
  const told = [name, text, state].flatMap((field) => (field ? [field.value] : []))
  return [{ path: of[0]?.path.slice(0, 2) ?? [], value: [...new Set(told)].join(', '), of }]
}

/** The outermost field with the first of the keys that any field has. */
function findByKey(fields: readonly Field[], keys: readonly string[]): Field | undefined {
  for (const key of keys) {
    const found = fields.find(({ path }) => path.at(-1)?.toLowerCase() === key)
    if (found) return found
  }
  return undefined
}
