/** RFC 4180. A text that a spreadsheet would take for a formula is marked as text; numbers stay numbers. */
export function csvCell(value: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(value) && !/^[+-]?\d+([.,]\d+)*%?$/.test(value)
  const safe = isFormula ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
