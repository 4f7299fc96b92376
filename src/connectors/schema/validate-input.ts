import type { ErrorObject } from 'ajv'
import type { FieldError } from '../../http/problems.ts'
import { escapePointer } from '../../platform/json/escape-pointer.ts'
import type { JsonSchema } from '../contract.ts'
import { PatternTooSlow } from './bounded-pattern.ts'
import type { CompiledSchema, SchemaCache } from './compile-schema.ts'
import { runWithTimeout } from './run-with-timeout.ts'

/** More would not help to correct an input. */
const maxFaults = 20

/**
 * A short schema can take forever on a short value (nested alternatives), and a server may have written both: they must not block
 * the process.
 */
const timeoutMs = 300

/** With at most this many values inside, a short schema is always checked quickly. */
const fewParts = 2_000

/** What is wrong with a value under a schema, in words that a model or a person can act on. */
export function validateInput(cache: SchemaCache, schema: JsonSchema, value: unknown): FieldError[] {
  const compiled = cache.compile(schema)
  if (!compiled.ok)
    return [{ pointer: '', detail: `The schema itself is broken: ${compiled.faults[0]?.detail ?? ''}` }]
  const isValid = validateInTime(compiled, value)
  if (isValid === null) {
    return [{ pointer: '', detail: 'It takes too long to check this against the schema. Make it smaller.' }]
  }
  return isValid ? [] : (compiled.validate.errors ?? []).slice(0, maxFaults).map(toFieldError)
}

/** Null if that could not be found out in time. */
function validateInTime(
  { validate, mayTakeLong }: Extract<CompiledSchema, { ok: true }>,
  value: unknown,
): boolean | null {
  const check = () => validate(value)
  if (!mayTakeLong && hasAtMost(fewParts, value)) return check()
  try {
    const checked = runWithTimeout(timeoutMs, check)
    return checked.done ? checked.value : null
  } catch (error) {
    if (error instanceof PatternTooSlow) return null
    throw error
  }
}

function hasAtMost(parts: number, value: unknown): boolean {
  let left = parts
  const waiting = [value]
  while (waiting.length > 0) {
    const node = waiting.pop()
    if (typeof node !== 'object' || node === null) continue
    const inside = Object.values(node)
    left -= inside.length
    if (left < 0) return false
    waiting.push(...inside)
  }
  return true
}

function toFieldError(error: ErrorObject): FieldError {
  const pointer = error.instancePath
  const at = (key: unknown) => `${pointer}/${escapePointer(String(key))}`
  switch (error.keyword) {
    case 'required':
      return { pointer: at(error.params.missingProperty), detail: 'This is required.' }
    case 'additionalProperties':
      return { pointer: at(error.params.additionalProperty), detail: 'There is no such input.' }
    case 'unevaluatedProperties':
      return { pointer: at(error.params.unevaluatedProperty), detail: 'There is no such input.' }
    case 'enum':
      return { pointer, detail: `Must be one of ${JSON.stringify(error.params.allowedValues)}.` }
    case 'const':
      return { pointer, detail: `Must be ${JSON.stringify(error.params.allowedValue)}.` }
    case 'false schema':
      return { pointer, detail: 'No value is allowed here.' }
    default: {
      const message = error.message ?? 'is not valid'
      return { pointer, detail: `${message.charAt(0).toUpperCase()}${message.slice(1)}.` }
    }
  }
}
