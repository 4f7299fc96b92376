import type { Field } from '../../platform/json/list-fields.ts'

/** Joins a list of plain values into one field: `items.0` and `items.1` become `items`, with the values side by side. */
export function joinLists(fields: readonly Field[]): Field[] {
  const joined: Field[] = []
  let list: Field | undefined
  for (const { path, value } of fields) {
    const inList = /^\d+$/.test(path.at(-1) ?? '') && path.length > 1
    const name = path.slice(0, -1)
    if (inList && list && list.path.join('\0') === name.join('\0')) {
      list.value += `, ${value}`
      continue
    }
    const field = inList ? { path: name, value } : { path, value }
    list = inList ? field : undefined
    joined.push(field)
  }
  return joined
}
