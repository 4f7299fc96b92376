/**
 * What a form shows when the thing it edits was changed elsewhere: fields that are as the server had them get the server's
 * new value, the others keep what was typed. Lists are one field: half of each would be nobody's.
 */
export function followServer<V>(shown: V, before: V, now: V): V {
  if (same(shown, before)) return now
  if (!isFields(shown) || !isFields(before) || !isFields(now)) return shown
  const followed = Object.fromEntries(
    Object.keys(shown).map((name) => [name, followServer(shown[name], before[name], now[name])]),
  )
  return followed as V // the same keys, each with a value of one of the three
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
