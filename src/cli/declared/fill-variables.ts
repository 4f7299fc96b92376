/** Replaces `${NAME}` references by their values (`$${` is the text `${`). Reports all missing ones at once, before anything is applied. */
export function fillVariables<T>(declared: T, read: (name: string) => string | undefined): T {
  const missing = new Set<string>()
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') {
      return value.replaceAll(/\$\$\{|\$\{([A-Za-z_]\w*)\}/g, (reference, name: string | undefined) => {
        if (name === undefined) return '${'
        const found = read(name)
        if (found === undefined) missing.add(name)
        return found ?? reference
      })
    }
    if (Array.isArray(value)) return value.map(fill)
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]))
    }
    return value
  }
  // The same shape with other texts in it.
  const filled = fill(declared) as T
  if (missing.size > 0)
    throw new Error(`These variables are not set, so nothing was changed: ${[...missing].join(', ')}`)
  return filled
}
