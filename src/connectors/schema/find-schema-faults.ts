import type { FieldError } from '../../http/problems.ts'
import { escapePointer } from '../../platform/json/escape-pointer.ts'
import { isDeeperThan } from '../../platform/json/is-deeper-than.ts'
import type { JsonSchema } from '../contract.ts'
import { compileSchema } from './compile-schema.ts'
import { resolveReference } from './resolve-reference.ts'

/** The values of these keywords are data, in which `$ref` means nothing. */
const dataKeywords = new Set(['const', 'enum', 'default', 'example', 'examples'])
const maxDepth = 200
const maxBytes = 1024 * 1024

/** Why a schema cannot be used, with the place of each fault; empty if it can. */
export function findSchemaFaults(schema: JsonSchema): FieldError[] {
  const faults: FieldError[] = []
  if (isDeeperThan(schema, maxDepth))
    return [{ pointer: '', detail: `The schema is nested deeper than ${maxDepth} levels.` }]
  if (JSON.stringify(schema).length > maxBytes)
    return [{ pointer: '', detail: 'The schema is larger than 1 MiB.' }]
  const ids = collectIds(schema)
  walk(schema, '', (node, pointer) => {
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
      const reference = node[keyword]
      if (typeof reference === 'string') {
        const detail = referenceFault(schema, ids, reference)
        if (detail) faults.push({ pointer: `${pointer}/${escapePointer(keyword)}`, detail })
      }
    }
  })
  if (faults.length > 0) return faults
  const compiled = compileSchema(schema)
  return compiled.ok ? [] : compiled.faults
}

function referenceFault(schema: JsonSchema, ids: ReadonlySet<string>, reference: string): string | null {
  if (reference.startsWith('#/') || reference === '#') {
    const isThere = resolveReference(schema, reference) !== undefined || ids.size > 0
    return isThere ? null : `${reference} does not exist in this schema. Add it, for example under $defs.`
  }
  const target = reference.split('#')[0] ?? ''
  if (reference.startsWith('#') || ids.has(reference) || ids.has(target)) return null
  const isRelative = !/^[a-z][a-z0-9+.-]*:/i.test(reference) && ids.size > 0
  if (isRelative) return null
  return `"${reference}" is outside this schema and is not fetched. Copy it into $defs and refer to it as #/$defs/….`
}

function collectIds(schema: JsonSchema): Set<string> {
  const ids = new Set<string>()
  walk(schema, '', (node) => {
    for (const keyword of ['$id', 'id', '$anchor', '$dynamicAnchor']) {
      const id = node[keyword]
      if (typeof id === 'string') ids.add(id.replace(/#$/, ''))
    }
  })
  return ids
}

export function walk(
  node: unknown,
  pointer: string,
  visit: (node: JsonSchema, pointer: string) => void,
): void {
  if (Array.isArray(node)) {
    for (const [index, item] of node.entries()) walk(item, `${pointer}/${index}`, visit)
    return
  }
  if (typeof node !== 'object' || node === null) return
  visit(node as JsonSchema, pointer) // Objects of a parsed JSON document have string keys.
  for (const [key, inner] of Object.entries(node)) {
    if (!dataKeywords.has(key) || pointer.endsWith('/properties'))
      walk(inner, `${pointer}/${escapePointer(key)}`, visit)
  }
}
