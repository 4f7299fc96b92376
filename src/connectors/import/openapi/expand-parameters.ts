import { isObject } from '../../../platform/json/is-object.ts'
import type { Json } from '../json-parts.ts'
import { followReferences } from './follow-references.ts'

/**
 * Writes into each operation of a Swagger 2.0 document all of its parameters: those it shares by reference, and those of its path.
 * There a body is a parameter too, and one that is shared would be lost when the document is upgraded.
 */
export function expandParameters(document: Json): Json {
  const paths = isObject(document.paths) ? document.paths : {}
  return { ...document, paths: mapValues(paths, (item) => spellOutItem(document, item)) }
}

function spellOutItem(document: Json, item: Json): Json {
  const { parameters, ...operations } = item
  const shared = readParameters(document, parameters)
  return mapValues(operations, (operation) => {
    const own = readParameters(document, operation.parameters)
    const isOwn = (one: Json) => own.some((other) => nameOf(other) === nameOf(one))
    return { ...operation, parameters: [...shared.filter((one) => !isOwn(one)), ...own] }
  })
}

/** Each a copy of its own, since the upgrade changes them. */
function readParameters(document: Json, parameters: unknown): Json[] {
  return (Array.isArray(parameters) ? parameters : []).flatMap((given) => {
    const parameter = followReferences(document, given)
    if (!parameter || typeof parameter.in !== 'string') return []
    // The default for lists. The upgrade knows it for queries only.
    const isList = parameter.in === 'formData' && parameter.type === 'array'
    return [structuredClone({ ...(isList ? { collectionFormat: 'csv' } : {}), ...parameter })]
  })
}

/** An operation has one body, whatever its name. */
function nameOf({ in: place, name }: Json): string {
  return place === 'body' ? 'body' : `${String(place)} ${String(name)}`
}

/** Values that are no objects stay. */
function mapValues(object: Json, change: (value: Json) => Json): Json {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, isObject(value) ? change(value) : value]),
  )
}
