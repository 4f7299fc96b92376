import { escapePointer } from '../../../platform/json/escape-pointer.ts'
import { isObject } from '../../../platform/json/is-object.ts'
import { resolveReference } from '../../schema/resolve-reference.ts'
import { asString, type Json } from '../json-parts.ts'
import { followReferences } from './follow-references.ts'
import { readOnlyNames } from './read-only-names.ts'

/** OpenAPI keywords that mean nothing to a model or a JSON Schema validator. */
const droppedKeywords = new Set([
  'discriminator',
  'xml',
  'externalDocs',
  'example',
  'examples',
  'nullable',
  '$schema',
  '$id',
  'id',
])
const namedSchemas = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])

const none: ReadonlySet<string> = new Set()

type CopiedSchema = { schema: unknown; needs: Set<string> }

export type SchemaCopier = {
  /** A copy of the schema whose references point into `$defs`. */
  copySchema(schema: unknown): CopiedSchema
  /** The definitions that these need, directly or through others, each once. */
  definitionsFor(needs: ReadonlySet<string>): Json
}

/** Copies schemas out of a document so that they work on their own. */
export function createSchemaCopier(document: Json): SchemaCopier {
  const names = new Map<string, string>()
  const definitions = new Map<string, CopiedSchema>()

  function nameFor(reference: string): string {
    const known = names.get(reference)
    if (known) return known
    const preferred =
      (reference.split('/').at(-1) ?? 'schema').replaceAll(/[^a-zA-Z0-9_.-]+/g, '_').slice(0, 80) || 'schema'
    const taken = new Set(names.values())
    let name = preferred
    for (let number = 2; taken.has(name); number++) name = `${preferred}_${number}`
    names.set(reference, name)
    return name
  }

  function copySchema(schema: unknown): CopiedSchema {
    const needs = new Set<string>()
    return { schema: copy(schema, needs), needs }
  }

  /** `notRequired` are the names that schemas around this one have reserved for answers. */
  function copy(given: unknown, needs: Set<string>, notRequired: ReadonlySet<string> = none): unknown {
    if (Array.isArray(given)) return given.map((item) => copy(item, needs, notRequired))
    if (!isObject(given)) return given
    const node = expandDiscriminator(document, given)
    const reserved =
      'required' in node || 'allOf' in node ? notRequired.union(readOnlyNames(document, node)) : none
    const copied: Json = {}
    for (const [key, value] of Object.entries(node)) {
      if (droppedKeywords.has(key) || key.startsWith('x-')) continue
      if (key === '$ref') copied.$ref = rewrite(value, needs)
      else if (namedSchemas.has(key) && isObject(value)) {
        copied[key] = Object.fromEntries(
          Object.entries(value).map(([name, inner]) => [name, copy(inner, needs)]),
        )
      } else if (key === 'enum' || key === 'const' || key === 'default') copied[key] = value
      else if (key === 'required' && Array.isArray(value)) {
        copied.required = value.filter((name) => !reserved.has(name))
      } else copied[key] = copy(value, needs, key === 'allOf' ? reserved : none)
    }
    return repair(copied)
  }

  function rewrite(reference: unknown, needs: Set<string>): unknown {
    if (typeof reference !== 'string' || !reference.startsWith('#/')) return reference
    needs.add(reference)
    return `#/$defs/${escapePointer(nameFor(reference))}`
  }

  function definition(reference: string): CopiedSchema {
    const known = definitions.get(reference)
    if (known) return known
    // A reference to nothing is a fault of the document: the API knows what it takes there.
    const copied = copySchema(resolveReference(document, reference) ?? {})
    definitions.set(reference, copied)
    return copied
  }

  return {
    copySchema,
    definitionsFor(needs) {
      const found = new Map<string, unknown>()
      const waiting = [...needs]
      for (let reference = waiting.pop(); reference !== undefined; reference = waiting.pop()) {
        const name = nameFor(reference)
        if (found.has(name)) continue
        const { schema, needs: further } = definition(reference)
        found.set(name, schema)
        waiting.push(...further)
      }
      return Object.fromEntries([...found].sort(([one], [other]) => (one < other ? -1 : 1)))
    },
  }
}

const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0
const isFilled = (value: unknown) => Array.isArray(value) && value.length > 0

/** The types that values of keywords must have. */
const rules: [fits: (value: unknown) => boolean, keywords: string[]][] = [
  [(value) => typeof value === 'string', ['title', 'description', 'format']],
  [(value) => typeof value === 'boolean', ['deprecated', 'readOnly', 'writeOnly', 'uniqueItems']],
  [(value) => typeof value === 'number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']],
  [(value) => typeof value === 'number' && value > 0, ['multipleOf']],
  [isCount, ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']],
  [isFilled, ['required', 'enum', 'anyOf', 'oneOf', 'allOf']],
  [isObject, ['properties', 'patternProperties']],
  [isPattern, ['pattern']],
]

/** Published documents have many small faults that do not matter to their APIs, but a schema with one would be refused. */
function repair(schema: Json): Json {
  if (Array.isArray(schema.required)) {
    schema.required = [...new Set(schema.required.filter((name) => typeof name === 'string'))]
  }
  if ('type' in schema) {
    const known = [...new Set([schema.type].flat().filter((type) => types.has(String(type))))]
    if (known.length === 0) delete schema.type
    else schema.type = known.length === 1 ? known[0] : known
  }
  for (const [fits, keywords] of rules) {
    for (const keyword of keywords) {
      if (keyword in schema && !fits(schema[keyword])) delete schema[keyword]
    }
  }
  return schema
}

function isPattern(pattern: unknown): boolean {
  if (typeof pattern !== 'string') return false
  try {
    new RegExp(pattern)
    return true
  } catch {
    return false
  }
}

/**
 * Writes OpenAPI's `discriminator` in the words of JSON Schema: each alternative says which values of the field it stands for.
 * Without that the alternatives often overlap, and `oneOf` would accept no value at all.
 */
function expandDiscriminator(document: Json, schema: Json): Json {
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
