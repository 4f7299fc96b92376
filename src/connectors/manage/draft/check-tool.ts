import type { FieldError } from '../../../http/problems.ts'
import { isHeaderName, reservedHeaders } from '../../../platform/egress/judge-headers.ts'
import { escapePointer } from '../../../platform/json/escape-pointer.ts'
import { isObject } from '../../../platform/json/is-object.ts'
import { describeKeyInUrl, findKeyInUrl } from '../../auth/credential-in-url.ts'
import { changesMethod } from '../../http/changes-method.ts'
import { placeholdersOf, placeOf } from '../../http/place-inputs.ts'
import { findSchemaFaults } from '../../schema/find-schema-faults.ts'
import { collectProperties } from '../../schema/property-names.ts'
import { resolveReference } from '../../schema/resolve-reference.ts'
import type { DraftTool } from './draft.ts'

/** An input must not change how the body is declared, except to choose between kinds of JSON. */
const notForInputs = new Set(['content-type', 'accept-encoding'])

/** Everything that is wrong with a tool, with pointers relative to it. */
export function checkTool(tool: DraftTool): FieldError[] {
  const errors: FieldError[] = [...checkPath(tool.path)]
  for (const [field, schema] of [
    ['inputSchema', tool.inputSchema],
    ['outputSchema', tool.outputSchema],
  ] as const) {
    if (schema === null) continue
    for (const { pointer, detail } of findSchemaFaults(schema)) {
      errors.push({ pointer: `/${field}${pointer}`, detail })
    }
  }
  if (errors.length > 0) return errors
  return [...checkPlaceholders(tool), ...checkLocations(tool)]
}

function checkPath(path: string): FieldError[] {
  const refuse = (detail: string) => [{ pointer: '/path', detail }]
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) {
    return refuse('Write only the path; the base URL comes from the connector.')
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\s\\#\x00-\x1f\x7f]/.test(path)) return refuse('A path has no spaces, line breaks, "\\" or "#".')
  if (/[{}]/.test(path.replaceAll(/\{[^{}]+\}/g, ''))) {
    return refuse('Write placeholders as {name}; the braces here do not match.')
  }
  // A percent sign that an input completes could spell "..".
  if (/%(?![0-9a-f]{2})/i.test(path))
    return refuse('A "%" must be followed by two hexadecimal digits, as in %20.')
  const segments = (path.split('?')[0] ?? '').split('/').map((segment) => segment.replaceAll(/%2e/gi, '.'))
  if (segments.includes('.') || segments.includes('..')) return refuse('A path has no "." or ".." segments.')
  const key = findKeyInUrl(path)
  if (key) return refuse(describeKeyInUrl(key))
  const override = [...new URLSearchParams(path.split('?')[1] ?? '').keys()].find(changesMethod)
  if (override !== undefined) return refuse(methodFault(override))
  return []
}

function checkPlaceholders(tool: DraftTool): FieldError[] {
  const properties = collectProperties(tool.inputSchema)
  return placeholdersOf(tool.path).flatMap((name) => {
    const schemas = properties.get(name)
    if (!schemas) {
      return [
        {
          pointer: '/path',
          detail: `{${name}} is not a property of inputSchema. Add it there, or remove it here.`,
        },
      ]
    }
    const isCompound = schemas.some((schema) => isObjectOrArray(tool.inputSchema, schema))
    if (!isCompound) return []
    return [{ pointer: '/path', detail: `{${name}} is an object or array; a path takes single values only.` }]
  })
}

function isObjectOrArray(root: unknown, schema: unknown, depth = 0): boolean {
  if (typeof schema !== 'object' || schema === null || depth > 20) return false
  if ('$ref' in schema && typeof schema.$ref === 'string') {
    return isObjectOrArray(root, resolveReference(root, schema.$ref), depth + 1)
  }
  const types = 'type' in schema ? [schema.type].flat() : []
  return types.length > 0 && types.every((type) => type === 'object' || type === 'array' || type === 'null')
}

function checkLocations(tool: DraftTool): FieldError[] {
  const errors: FieldError[] = []
  const properties = collectProperties(tool.inputSchema)
  const isOpen = tool.inputSchema.additionalProperties !== false
  const names = new Set([...Object.keys(tool.locations), ...properties.keys()])
  let whole = 0
  let partial = 0
  for (const property of names) {
    const pointer = `/locations/${escapePointer(property)}`
    const { place, name } = placeOf(tool, property)
    if (Object.hasOwn(tool.locations, property) && !properties.has(property) && !isOpen) {
      errors.push({ pointer, detail: 'This is not a property of inputSchema.' })
    }
    if (place !== 'path' && changesMethod(name)) errors.push({ pointer, detail: methodFault(name) })
    else if (place === 'header' && !choosesJson(name, properties.get(property)))
      errors.push(...headerFault(pointer, name))
    if (place === 'body' || place === 'wholeBody') {
      if (tool.method === 'GET' || tool.method === 'HEAD') {
        errors.push({ pointer, detail: `A ${tool.method} request has no body. Use "query" or "header".` })
      }
      place === 'wholeBody' ? whole++ : partial++
    }
  }
  if (whole > 1 || (whole === 1 && partial > 0)) {
    errors.push({
      pointer: '/locations',
      detail: 'If one input is the whole body, no other input can be in the body.',
    })
  }
  return errors
}

function methodFault(name: string): string {
  return `${JSON.stringify(name)} could change the request’s method, so it is never sent. Choose the method of the tool instead.`
}

function choosesJson(header: string, schemas: readonly unknown[] = []): boolean {
  return header.toLowerCase() === 'content-type' && schemas.length > 0 && schemas.every(listsKindsOfJson)
}

/** `application/merge-patch+json` and its like: the body is JSON whichever is chosen. */
function listsKindsOfJson(schema: unknown): boolean {
  const kinds = isObject(schema) && Array.isArray(schema.enum) ? schema.enum : []
  return kinds.length > 0 && kinds.every((kind) => /^application\/([\w.-]+\+)?json$/.test(String(kind)))
}

function headerFault(pointer: string, name: string): FieldError[] {
  if (!isHeaderName(name)) return [{ pointer, detail: `"${name}" cannot be the name of a header.` }]
  const lower = name.toLowerCase()
  if (!reservedHeaders.has(lower) && !notForInputs.has(lower)) return []
  return [{ pointer, detail: `The header ${name} cannot be set by an input.` }]
}
