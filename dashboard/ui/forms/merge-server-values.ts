/**
 * What a form shows after the thing it edits was changed elsewhere: untouched fields get the server's new value, the others keep
 * what was typed. A list counts as one field, since a mix of two lists would be nobody's.
 */
export function mergeServerValues<V>(shown: V, before: V, now: V): V {
  if (same(shown, before)) return now
  if (!isFields(shown) || !isFields(before) || !isFields(now)) return shown
  const followed = Object.fromEntries(
    Object.keys(shown).map((name) => [name, mergeServerValues(shown[name], before[name], now[name])]),
  )
  return followed as V // the same keys, each with a value of one of the three
}

type Fields = Record<string, unknown>

/** Whether a field that was typed in was also changed elsewhere, so that a save would overwrite it. */
export function hasConflict(shown: unknown, before: unknown, now: unknown): boolean {
  if (same(shown, before) || same(now, before) || same(shown, now)) return false
  if (!isFields(shown) || !isFields(before) || !isFields(now)) return true
  return Object.keys(shown).some((name) => hasConflict(shown[name], before[name], now[name]))
}

/** The fields that differ from the server's. */
export function changedFields(shown: Fields, server: Fields): Fields {
  return Object.fromEntries(Object.entries(shown).filter(([name, value]) => !same(value, server[name])))
}

/** The same, with only the changed fields of each group of fields. */
export function changedFieldsDeep<V extends Fields>(shown: V, server: V): Partial<V> {
  const typed = Object.entries(changedFields(shown, server)).map(([name, value]) => {
    const known = server[name]
    return [name, isFields(value) && isFields(known) ? changedFieldsDeep(value, known) : value]
  })
  return Object.fromEntries(typed) as Partial<V> // some keys of V, each with a value or a part of one
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
