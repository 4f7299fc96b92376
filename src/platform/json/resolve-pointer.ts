/** The value at the steps of an RFC 6901 pointer, each still escaped; undefined if there is none. */
export function resolvePointer(root: unknown, steps: readonly string[]): unknown {
  let at = root
  for (const step of steps) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as Record<string, unknown>)[key] // an own property of an object
  }
  return at
}
