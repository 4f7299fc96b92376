import { escapePointer } from '../platform/json/escape-pointer.ts'
import { isObject } from '../platform/json/is-object.ts'
import { isRawNumber } from '../platform/json/parse-exact-json.ts'
import type { InputChange } from './approval.ts'

/** Object by object; a list that differs anywhere is another list. */
export function diffInputs(from: unknown, to: unknown, at = ''): InputChange[] {
  if (JSON.stringify(from) === JSON.stringify(to)) return []
  if (!isPlain(from) || !isPlain(to)) return [{ at, from, to }]
  const names = new Set([...Object.keys(from), ...Object.keys(to)])
  return [...names].flatMap((name) =>
    diffInputs(own(from, name), own(to, name), `${at}/${escapePointer(name)}`),
  )
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Array.isArray(value) && !isRawNumber(value)
}

function own(value: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined
}
