import type { FieldError } from '../../http/problems.ts'
import { escapePointer } from '../../platform/json/escape-pointer.ts'
import { isDeeperThan } from '../../platform/json/is-deeper-than.ts'
import { isObject } from '../../platform/json/is-object.ts'
import { roundNumbers } from '../../platform/json/round-numbers.ts'
import type { JsonSchema } from '../contract.ts'
import type { SchemaCache } from '../schema/compile-schema.ts'
import { inputNames, takesUnnamed } from '../schema/property-names.ts'
import { validateInput } from '../schema/validate-input.ts'

/** Deeper values cannot be serialised as JSON again. */
const maxDepth = 128

/**
 * Checks the input of a call against the tool's schema. Its numbers stay as written. What the schema does not name is refused,
 * although JSON Schema would let it pass: a misspelt filter would return everything, and an input that nobody has reviewed could
 * make the target do something else.
 */
export function checkInput(
  schemas: SchemaCache,
  schema: JsonSchema,
  input: unknown,
): { ok: true; input: Record<string, unknown> } | { ok: false; errors: FieldError[] } {
  const refuse = (detail: string) => ({ ok: false as const, errors: [{ pointer: '', detail }] })
  if (isDeeperThan(input, maxDepth)) return refuse(`Is nested deeper than ${maxDepth} levels.`)
  if (!isObject(input)) return refuse('Must be an object.')
  const undeclared = findUndeclared(schema, input)
  const pointers = new Set(undeclared.map(({ pointer }) => pointer))
  const invalid = validateInput(schemas, schema, roundNumbers(input)).filter(
    (one) => !pointers.has(one.pointer),
  )
  const errors = [...undeclared, ...invalid]
  return errors.length > 0 ? { ok: false, errors } : { ok: true, input }
}

function findUndeclared(schema: JsonSchema, input: Record<string, unknown>): FieldError[] {
  const named = inputNames(schema)
  const unnamed = Object.keys(input).filter((name) => !named.has(name) && !takesUnnamed(schema, name))
  const names = named.size > 0 ? `There are: ${[...named].join(', ')}.` : 'It takes none.'
  return unnamed.map((name) => ({
    pointer: `/${escapePointer(name)}`,
    detail: `There is no such input. ${names}`,
  }))
}
