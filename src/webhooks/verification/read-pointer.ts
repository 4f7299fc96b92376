import { byte, endOfContainer, endOfScalar, skipSpace, startOfText } from '../../platform/json/json-bytes.ts'

/**
 * The text or number at an RFC 6901 pointer of a JSON body, as text; undefined if there is none. One pass over the bytes:
 * `JSON.parse` would build everything else too, which takes over 100 ms for 1 MiB of small objects. Among members with the same
 * name the last counts, as it does there. Invalid JSON may give an answer too: it is checked elsewhere.
 */
export function readPointer(body: Uint8Array, pointer: string): string | undefined {
  const steps = stepsOf(pointer)
  /** How many steps of the pointer were taken: what is open around this place is on its path, since everything else is skipped. */
  let depth = 0
  /** By depth, the index in the arrays on the path. Undefined for objects. */
  const places: (number | undefined)[] = []
  let isNextOnWay = true
  /** Where the last value found begins and ends; -1 for none. */
  let foundAt = -1
  let foundEnd = -1

  for (let at = skipSpace(body, startOfText(body)); at < body.length; at = skipSpace(body, at)) {
    const current = body[at]
    const step = steps[depth - 1]
    if (current === byte.openObject || current === byte.openArray) {
      if (isNextOnWay) foundAt = -1
      const next: Step | undefined = isNextOnWay ? steps[depth] : undefined
      // An array has indexes and no names.
      if (next && (current === byte.openObject || next.place !== null)) {
        depth++
        places[depth] = current === byte.openArray ? 0 : undefined
        isNextOnWay = current === byte.openArray && next.place === 0
        at++
      } else {
        isNextOnWay = false
        at = endOfContainer(body, at)
      }
    } else if (current === byte.closeObject || current === byte.closeArray) {
      depth--
      isNextOnWay = false
      at++
    } else if (current === byte.comma) {
      const place = places[depth]
      if (place !== undefined) {
        places[depth] = place + 1
        isNextOnWay = step?.place === place + 1
      }
      at++
    } else {
      const end = endOfScalar(body, at)
      if (end < 0) return undefined
      const after = skipSpace(body, end)
      if (body[after] === byte.colon) {
        isNextOnWay = step !== undefined && isNamed(body, at, end, step.name)
        at = after + 1
      } else {
        if (isNextOnWay) {
          foundAt = depth === steps.length ? at : -1
          foundEnd = end
        }
        isNextOnWay = false
        at = after
      }
    }
  }
  return foundAt < 0 ? undefined : readScalar(body, foundAt, foundEnd)
}

/** A step's name in an object, and its index in an array. */
type Step = { name: string; place: number | null }

function stepsOf(pointer: string): Step[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => ({
      name: token.replaceAll('~1', '/').replaceAll('~0', '~'),
      place: /^(0|[1-9]\d*)$/.test(token) ? Number(token) : null,
    }))
}

/** Without decoding the name in the body: there may be 50,000 of them, with every character escaped. */
function isNamed(body: Uint8Array, openingQuote: number, end: number, name: string): boolean {
  const closingQuote = end - 1
  let at = openingQuote + 1
  for (let index = 0; index < name.length; index++) {
    if (at === closingQuote) return false
    const current = body[at] as number // inside
    // Beyond ASCII, a byte is not a character.
    if (current >= 0x80) return parse(body, openingQuote, end) === name
    const isEscape = current === byte.backslash
    if ((isEscape ? readEscape(body, at + 1) : current) !== name.charCodeAt(index)) return false
    at += isEscape ? (body[at + 1] === byte.u ? 6 : 2) : 1
  }
  return at === closingQuote
}

const escapes = new Map(
  [...'"\\/bfnrt'].map((letter) => [letter.charCodeAt(0), JSON.parse(`"\\${letter}"`).charCodeAt(0)]),
)

function readEscape(body: Uint8Array, at: number): number | undefined {
  const letter = body[at] as number // `endOfScalar` let the escape pass
  if (letter !== byte.u) return escapes.get(letter)
  let unit = 0
  for (let digit = 1; digit <= 4; digit++) {
    const code = body[at + digit] as number // as above
    // The low bits of a letter are its value minus nine, in both cases.
    unit = unit * 16 + (code & 0xf) + (code > byte.nine ? 9 : 0)
  }
  return unit
}

function readScalar(body: Uint8Array, at: number, end: number): string | undefined {
  const value = parse(body, at, end)
  if (typeof value === 'string') return value === '' ? undefined : value
  if (typeof value !== 'number') return undefined
  // As written, since JavaScript would round two long ids to the same number.
  const written = textAt(body, at, end)
  if (/^\d+$/.test(written)) return written
  return Number.isSafeInteger(value) ? String(value) : undefined
}

/** Never fails: `endOfScalar` has found a complete value. */
function parse(body: Uint8Array, at: number, end: number): unknown {
  return JSON.parse(textAt(body, at, end))
}

function textAt(body: Uint8Array, at: number, end: number): string {
  return Buffer.from(body.buffer, body.byteOffset + at, end - at).toString('utf8')
}
