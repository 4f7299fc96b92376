import { isObject } from '../../../platform/json/is-object.ts'
import { asString, type Json } from '../json-parts.ts'
import { followReferences } from './follow-references.ts'

/**
 * Writes OpenAPI's `discriminator` in the words of JSON Schema: each alternative says which values of the field it stands for.
 * Without that the alternatives often overlap, and `oneOf` would accept no value at all.
 */
export function expandDiscriminator(document: Json, schema: Json): Json {
  const { discriminator, oneOf, ...rest } = schema
  if (!isObject(discriminator) || !Array.isArray(oneOf) || 'anyOf' in rest) return schema
  const field = asString(discriminator.propertyName)
  const mapping = Object.entries(isObject(discriminator.mapping) ? discriminator.mapping : {})
  const anyOf = oneOf.map((alternative: unknown) => {
    if (!isObject(alternative) || typeof alternative.$ref !== 'string') return alternative
    const { $ref } = alternative
    const values = mapping.flatMap(([value, target]) => (isTarget($ref, target) ? [value] : []))
    if (values.length === 0 || saysItself(followReferences(document, alternative), field)) return alternative
    return { ...alternative, properties: { [field]: { enum: values } }, required: [field] }
  })
  return { ...rest, anyOf }
}

/** A mapping names a schema by its reference or by its name alone. */
function isTarget(reference: string, target: unknown): boolean {
  return target === reference || `#/components/schemas/${String(target)}` === reference
}

function saysItself(alternative: Json | null, field: string): boolean {
  const own = isObject(alternative?.properties) ? alternative.properties[field] : undefined
  return isObject(own) && ('enum' in own || 'const' in own)
}
