type WithErrors = { errors: { pointer: string; detail: string }[] }

/** The server's pointers (RFC 6901) as paths of a form: `/tools/0/path` → `tools.0.path`. */
export function fieldErrors(error: unknown, isShown: (path: string) => boolean): Record<string, string> {
  const atFields: Record<string, string> = {}
  if (error instanceof Error && 'errors' in error) {
    for (const { pointer, detail } of (error as Error & WithErrors).errors) {
      const path = pathOf(pointer)
      if (isShown(path)) atFields[path] = detail
    }
  }
  return atFields
}

function pathOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
}
