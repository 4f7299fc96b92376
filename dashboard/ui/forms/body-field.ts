/** One field of a body. If it was emptied, null clears what was set before; otherwise it is left out. */
export function bodyField(name: string, value: unknown, wasSet: boolean): Record<string, unknown> {
  if (value !== '') return { [name]: value }
  return wasSet ? { [name]: null } : {}
}
