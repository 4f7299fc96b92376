import { byte, scanJson } from '../../platform/json/scan-json.ts'

/**
 * The text or number at an RFC 6901 pointer of a JSON body, as text; undefined if there is none, or if it is not JSON. Nothing else
 * of it is built. Among members with the same name the last counts, as with `JSON.parse`.
 */
export function readPointer(body: Uint8Array, pointer: string): string | undefined {
  const steps = stepsOf(pointer)
  /** How many of the objects and arrays around this place are on the way, the outermost first. */
  let onWay = 0
  /** By depth, the index in the arrays on the way. Undefined for objects. */
  const places: (number | undefined)[] = []
  let isNextOnWay = true
  /** Where the last value found begins and ends; -1 for none. */
  let foundAt = -1
  let foundEnd = -1

  const malformedAt = scanJson(body, {
    open(at, depth) {
      if (!isNextOnWay) return
      foundAt = -1
      const step = steps[depth]
      const isArray = body[at] === byte.openArray
      isNextOnWay = isArray && step?.place === 0
      // An array has indexes and no names.
      if (!step || (isArray && step.place === null)) return
      onWay = depth + 1
      places[onWay] = isArray ? 0 : undefined
    },
    close(_, depth) {
      onWay = Math.min(onWay, depth)
      isNextOnWay = false
    },
    key(at, end, depth) {
      if (depth === onWay) isNextOnWay = isNamed(body, at, end, steps[depth - 1]?.name ?? '')
    },
    comma(_, depth) {
      const place = places[depth]
      if (depth !== onWay || place === undefined) return
      places[depth] = place + 1
      isNextOnWay = steps[depth - 1]?.place === place + 1
    },
    scalar(at, end, depth) {
      if (!isNextOnWay) return
      foundAt = depth === steps.length ? at : -1
      foundEnd = end
      isNextOnWay = false
    },
  })
  return malformedAt === null && foundAt >= 0 ? readScalar(body, foundAt, foundEnd) : undefined
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
  const letter = body[at] as number // the scanner let the escape pass
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

/** Never fails: the scanner has found a complete value. */
function parse(body: Uint8Array, at: number, end: number): unknown {
  return JSON.parse(textAt(body, at, end))
}

function textAt(body: Uint8Array, at: number, end: number): string {
  return Buffer.from(body.buffer, body.byteOffset + at, end - at).toString('utf8')
}
