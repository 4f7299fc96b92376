/** One field of a body. What was emptied is named as null where it was set before, which clears it, and else left out. */
export function given(name: string, value: unknown, wasSet: boolean): Record<string, unknown> {
  if (value !== '') return { [name]: value }
  return wasSet ? { [name]: null } : {}
}
