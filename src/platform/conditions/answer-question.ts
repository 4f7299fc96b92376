import type { CelInput } from '@bufbuild/cel'
import { asError } from '../as-error.ts'
import { rawNumber } from '../json/parse-exact-json.ts'
import { resolvePointer } from '../json/resolve-pointer.ts'
import { type ConditionFault, compileCondition, timestampOf } from './compile-condition.ts'

export type Question = {
  /** Conditions in CEL; the first that is true counts. */
  conditions: readonly string[]
  /** Conditions that are not evaluated this time, by their number. */
  leftOut: readonly number[]
  /** Values to return as text, each by the name of a JSON text and an RFC 6901 pointer. */
  pointers: readonly { of: string; at: string }[]
}

/** What conditions can use: JSON texts, plain values, and `now` as a time. */
export type Subject = {
  json: Readonly<Record<string, string | Uint8Array>>
  values: Readonly<Record<string, Readonly<Record<string, string>>>>
  now: string
}

export type Answer = {
  /** The number of the first condition that is true. */
  matched: number | null
  /** Conditions before it that could not be evaluated. They count as not true. */
  faults: { condition: number; says: string }[]
  /** In the order of the pointers; null where there is nothing. */
  texts: (string | null)[]
}

/** A value that is inserted somewhere is never longer than this. */
const longestText = 20_000
/** A fault may quote a value of the data, however long that is. */
const longestFault = 500
const mostCompiled = 2_000
const compiled = new Map<string, ReturnType<typeof compileCondition>>()

/** `onCondition` is told the number of the condition that is evaluated next. */
export function answerQuestion(
  { conditions, leftOut, pointers }: Question,
  subject: Subject,
  onCondition: (condition: number) => void,
): Answer {
  const parsed = new Map(
    Object.entries(subject.json).map(([name, text]) => [
      name,
      parse(typeof text === 'string' ? text : decode(text)),
    ]),
  )
  const texts = pointers.map(({ of, at }) => textOf(resolvePointer(parsed.get(of), at.split('/').slice(1))))
  if (conditions.length === 0) return { matched: null, faults: [], texts }

  const names = [...parsed.keys(), ...Object.keys(subject.values), 'now']
  const variables: Record<string, CelInput> = { ...subject.values, now: timestampOf(subject.now) }
  for (const [name, value] of parsed) variables[name] = toCel(value)
  const faults: Answer['faults'] = []
  for (const [index, source] of conditions.entries()) {
    if (leftOut.includes(index)) continue
    onCondition(index)
    try {
      const { condition, fault } = compiledOnce(source, names)
      if (fault) throw new Error(`${fault.says} (character ${fault.at})`)
      if (condition(variables)) return { matched: index, faults, texts }
    } catch (error) {
      faults.push({ condition: index, says: shorten(asError(error).message, longestFault) })
    }
  }
  return { matched: null, faults, texts }
}

export function checkCondition(source: string, names: readonly string[]): ConditionFault | null {
  return compiledOnce(source, names).fault
}

function compiledOnce(source: string, names: readonly string[]) {
  const key = `${names.join()} ${source}`
  const known = compiled.get(key)
  if (known) return known
  if (compiled.size >= mostCompiled) compiled.clear()
  const made = compileCondition(source, names)
  compiled.set(key, made)
  return made
}

/** Objects and lists as JSON. Empty texts count as nothing: they would join what does not belong together. */
function textOf(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null
  const text = typeof value === 'string' ? value : typeof value === 'bigint' ? String(value) : write(value)
  return shorten(text, longestText)
}

/** The database refuses half a character: in the data there may be one, and a cut may make one. */
function shorten(text: string, most: number): string {
  return text.slice(0, most).toWellFormed()
}

function write(value: unknown): string {
  return JSON.stringify(value, (_key, inner) =>
    typeof inner === 'bigint' ? rawNumber(String(inner)) : inner,
  )
}

/** In UTF-8. A mark at the beginning is not part of the JSON. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown
/** Standard, and in Node, but not yet in TypeScript's library. */
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown

/** JavaScript rounds long integers, so that two ids would seem equal. Only a text that may have one is parsed the slow way. */
function parse(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text)
  return parseWithSource(text, (_key, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && source && /^-?\d{1,18}$/.test(source)
      ? BigInt(source)
      : value,
  )
}

/** As in Kubernetes, a whole number is an integer, so that `event.number % 2 == 0` works. Changes what was parsed in place. */
function toCel(value: unknown): CelInput {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  if (typeof value !== 'object' || value === null) return value as CelInput // a text, a truth value, null or bigint
  const members = value as Record<string, unknown> // an object or a list, whose members are found in the same way
  for (const key of Object.keys(members)) {
    const member = members[key]
    if (typeof member === 'object' && member !== null) toCel(member)
    else if (typeof member === 'number') define(members, key, toCel(member))
  }
  return value as CelInput // JSON has nothing else
}

/** A member called __proto__ is a member like any other. */
function define(members: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(members, key, { value, enumerable: true })
  else members[key] = value
}
