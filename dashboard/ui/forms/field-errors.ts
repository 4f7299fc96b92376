type WithErrors = { errors: { pointer: string; detail: string }[] }

/**
 * The server's pointers (RFC 6901) as paths of a form with these values: `/tools/0/path` → `tools.0.path`. A pointer into
 * something that the form edits as one text is shown at that text, with the rest of the path.
 */
export function fieldErrors(error: unknown, values: object): Record<string, string> {
  const atFields: Record<string, string> = {}
  for (const { parts, detail } of pointedErrors(error)) {
    for (let length = parts.length; length > 0; length -= 1) {
      const way = parts.slice(0, length)
      if (valueAt(values, way) === undefined) continue
      const rest = parts.slice(length).join('/')
      const words = rest === '' ? detail : `At /${rest}: ${detail}`
      atFields[way.join('.')] = words
      // Either one field holds the whole list, or each entry has its own: the one that exists shows the error.
      for (const list of way.keys().map((end) => way.slice(0, end)))
        if (Array.isArray(valueAt(values, list))) atFields[list.join('.')] ??= words
      break
    }
  }
  return atFields
}

/** The error at a single field outside a form. */
export function fieldError(error: unknown, name: string): string | undefined {
  return fieldErrors(error, { [name]: '' })[name]
}

/** Each error of a refusal, with its path. Only a refusal has `errors`. */
export function pointedErrors(error: unknown): { parts: string[]; detail: string }[] {
  if (typeof error !== 'object' || error === null || !('errors' in error)) return []
  return (error as WithErrors).errors.map(({ pointer, detail }) => ({
    parts: pointer
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')),
    detail,
  }))
}

/** Errors that no field of a form with these values shows: a field with a value or a list shows its own, a group has no place for one. */
export function unshownErrors(error: unknown, values: object): { parts: string[]; detail: string }[] {
  return pointedErrors(error).filter(({ parts }) => {
    let at: unknown = values
    for (const part of parts) {
      if (Array.isArray(at)) return false
      if (typeof at !== 'object' || at === null) break
      at = (at as Record<string, unknown>)[part] // no list and not null: an object
    }
    return at === undefined || (typeof at === 'object' && at !== null && !Array.isArray(at))
  })
}

/** Whether one of the errors of a form is at or below one of these fields. */
export function hasErrorAt(errors: Record<string, unknown>, ...fields: string[]): boolean {
  return Object.entries(errors).some(
    ([path, words]) => words && fields.some((field) => path === field || path.startsWith(`${field}.`)),
  )
}

function valueAt(values: unknown, parts: string[]): unknown {
  let at: unknown = values
  for (const part of parts) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined
    at = (at as Record<string, unknown>)[part] // its own, as the line above proves
  }
  return at
}
