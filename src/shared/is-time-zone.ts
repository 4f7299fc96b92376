/** An IANA name, such as Europe/Berlin. An offset such as +01:00 would ignore how clocks change. */
export function isTimeZone(name: string): boolean {
  if (/^[+-]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return true
  } catch {
    return false
  }
}
