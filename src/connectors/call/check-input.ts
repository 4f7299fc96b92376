import type { FieldError } from '../../http/problems.ts'
import { isDeeperThan } from '../../platform/json/is-deeper-than.ts'
import { isObject } from '../../platform/json/is-object.ts'
import { roundNumbers } from '../../platform/json/round-numbers.ts'
import type { JsonSchema } from '../contract.ts'
import type { SchemaCache } from '../schema/compile-schema.ts'
import { validateInput } from '../schema/validate-input.ts'

/** Deeper values cannot be serialised as JSON again. */
const maxDepth = 128

/** Checks the input of a call against the tool's schema. Its numbers stay as written. */
export function checkInput(
  schemas: SchemaCache,
  schema: JsonSchema,
  input: unknown,
): { ok: true; input: Record<string, unknown> } | { ok: false; errors: FieldError[] } {
  const refuse = (detail: string) => ({ ok: false as const, errors: [{ pointer: '', detail }] })
  if (isDeeperThan(input, maxDepth)) return refuse(`Is nested deeper than ${maxDepth} levels.`)
  const errors = validateInput(schemas, schema, roundNumbers(input))
  if (errors.length > 0) return { ok: false, errors }
  return isObject(input) ? { ok: true, input } : refuse('Must be an object.')
}
