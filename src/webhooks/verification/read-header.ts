type HeaderRead = { kind: 'one'; value: string } | { kind: 'none' } | { kind: 'many' }

/** A header sent twice is `many`: proxies and libraries disagree on which one counts. */
export function readHeader(rawHeaders: readonly string[], name: string): HeaderRead {
  const wanted = name.toLowerCase()
  let value: string | undefined
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const candidate = rawHeaders[at] ?? ''
    if (candidate.length !== wanted.length || candidate.toLowerCase() !== wanted) continue
    if (value !== undefined) return { kind: 'many' }
    value = rawHeaders[at + 1] ?? ''
  }
  return value === undefined || value === '' ? { kind: 'none' } : { kind: 'one', value }
}
