import { byte, endOfString } from '../../../platform/json/scan-json.ts'

/** Why the JSON cannot go on at this byte, in words for whoever wrote the sender. It never quotes the body. */
export function explainMalformed(body: Uint8Array, at: number): string {
  const end = body[at] === byte.quote ? endOfString(body, at) : 0
  if (end < 0) return explainText(body, ~end)
  const current = String.fromCharCode(body[at] ?? 0)
  const before = body[lastBefore(body, at)]
  if (at >= body.length) return 'it ends before all objects and arrays are closed'
  if (current === '\0') return `byte ${at} is zero. It is probably UTF-16: encode it as UTF-8`
  if (current === "'") return `byte ${at} is a single quotation mark. Use double quotation marks`
  if (before === byte.comma && /[\]}]/.test(current))
    return `the comma before byte ${at} has no value after it. Remove it`
  if (before === byte.quote)
    return `byte ${at} follows the end of a string. Write a quotation mark inside a string as \\", and put commas between values`
  if (/[A-Za-z_$]/.test(current))
    return `byte ${at} starts a word without quotation marks. Only true, false, null and numbers are written without them`
  return `byte ${at} is unexpected. Check how the JSON is generated`
}

const escapes = new Map([
  ['\t', ['a tab', '\\t']],
  ['\n', ['a line break', '\\n']],
  ['\r', ['a line break', '\\r']],
])

/** Scripts often paste the output of a command between two quotation marks. */
function explainText(body: Uint8Array, at: number): string {
  if (at >= body.length) return 'it ends in the middle of a string'
  if (body[at] === byte.backslash)
    return `the backslash at byte ${at} does not start a valid escape sequence. Write a backslash inside a string as \\\\`
  const [name, written] = escapes.get(String.fromCharCode(body[at] ?? 0)) ?? ['a control character', '\\u00…']
  return `byte ${at} is ${name} inside a string. Write it as ${written}, as jq and JSON libraries do`
}

function lastBefore(body: Uint8Array, end: number): number {
  let at = end - 1
  while (at >= 0 && (body[at] ?? 0) <= 0x20) at--
  return at
}
