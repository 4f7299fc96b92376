import { reservedHeaders } from '../../../platform/egress/judge-headers.ts'
import { isObject } from '../../../platform/json/is-object.ts'
import type { JsonSchema, Location, Method, Style } from '../../contract.ts'
import { changesMethod } from '../../http/changes-method.ts'
import { defaultPlace, placeholdersOf } from '../../http/place-inputs.ts'
import { collectInputs } from '../collect-inputs.ts'
import { asArray, asString, type Json } from '../json-parts.ts'
import { kindOfJson } from '../kind-of-json.ts'
import type { SchemaCopier } from './create-schema-copier.ts'
import { followReferences } from './follow-references.ts'
import { readOnlyNames } from './read-only-names.ts'

type OperationInputs = {
  path: string
  locations: Record<string, Location>
  bodyFormat: 'json' | 'form'
  inputSchema: JsonSchema
}

/** Headers that the connector or the request sets itself. */
const ignoredHeaders = new Set([
  ...reservedHeaders,
  'accept',
  'content-type',
  'authorization',
  'accept-encoding',
])

type Context = { document: Json; copier: SchemaCopier }
type Operation = { method: Method; path: string; pathItem: Json; operation: Json }

/** Parameters and body of an operation as one object schema, each property with its place. A text says why that is impossible. */
export function operationInputs(ctx: Context, given: Operation): OperationInputs | string {
  const inputs = collectInputs(given.method)
  const needs = new Set<string>()
  const add = ({ schema, ...input }: Parameters<typeof inputs.add>[0]) => {
    const carried = ctx.copier.copySchema(schema)
    for (const need of carried.needs) needs.add(need)
    return inputs.add({ ...input, schema: carried.schema })
  }

  // The body first: its fields keep their names, and a parameter with the same name gets another one.
  const body = readBody(ctx, given)
  if (typeof body === 'string') return body
  for (const field of body.fields) add({ ...field, place: 'body' })
  if (body.types.length > 0) add(kindOfJson(body.types))
  if (body.whole) add({ ...body.whole, name: 'body', place: 'wholeBody' })

  let path = given.path
  const filled = new Set<string>()
  const fill = (parameter: Parameter) => {
    const property = add(parameter)
    if (parameter.place !== 'path') return
    path = path.replaceAll(`{${parameter.name}}`, `{${property}}`)
    filled.add(property)
  }
  for (const parameter of readParameters(ctx, given)) fill(parameter)
  // A placeholder without a description is text.
  for (const name of placeholdersOf(path)) {
    if (!filled.has(name))
      fill({ name, place: 'path', schema: { type: 'string' }, isRequired: true, style: 'repeat' })
  }
  const definitions = ctx.copier.definitionsFor(needs)
  return {
    path,
    locations: inputs.locations,
    bodyFormat: body.format,
    inputSchema: {
      ...inputs.schema(body.isOpen && defaultPlace(given.method) === 'body'),
      ...(Object.keys(definitions).length > 0 ? { $defs: definitions } : {}),
    },
  }
}

type Parameter = {
  name: string
  place: 'path' | 'query' | 'header'
  schema: unknown
  isRequired: boolean
  style: Style
}

function readParameters(ctx: Context, { pathItem, operation }: Operation): Parameter[] {
  const found = new Map<string, Parameter>()
  for (const raw of [...asArray(pathItem.parameters), ...asArray(operation.parameters)]) {
    const parameter = followReferences(ctx.document, raw)
    if (!parameter || typeof parameter.name !== 'string' || parameter.name === '') continue
    const { name } = parameter
    const place = parameter.in
    if (place !== 'path' && place !== 'query' && place !== 'header') continue
    if (place === 'header' && ignoredHeaders.has(name.toLowerCase())) continue
    if (place !== 'path' && changesMethod(name)) continue
    const schema = described(
      parameter.schema ?? contentSchema(parameter.content) ?? { type: 'string' },
      parameter,
    )
    const isRequired = place === 'path' || parameter.required === true
    const one: Parameter = { name, place, schema, isRequired, style: styleOf(parameter) }
    for (const part of spreadObject(ctx, parameter) ?? [one]) found.set(`${place} ${part.name}`, part)
  }
  return [...found.values()]
}

/** OpenAPI's default: an object in the query is sent as its fields, each under its own name. */
function spreadObject(ctx: Context, parameter: Json): Parameter[] | null {
  const isForm = parameter.style === undefined || parameter.style === 'form'
  if (parameter.in !== 'query' || !isForm || parameter.explode === false || parameter.content) return null
  const object = flatObject(ctx, parameter.schema)
  if (!object || !isObject(object.properties)) return null
  const needed = parameter.required === true ? asArray(object.required) : []
  return Object.entries(object.properties).map(([name, schema]) => ({
    name,
    place: 'query',
    schema,
    isRequired: needed.includes(name),
    style: 'repeat',
  }))
}

function styleOf(parameter: Json): Style {
  if (parameter.in !== 'query') return 'repeat'
  const [media] = Object.keys(isObject(parameter.content) ? parameter.content : {})
  return media !== undefined && anyJson.test(media) ? 'json' : listStyle(parameter)
}

const delimited: Readonly<Record<string, Style>> = { pipeDelimited: 'pipe', spaceDelimited: 'space' }

/** How a parameter of the query, or a field of a form, writes a list. Only the default style, `form`, repeats the name by default. */
function listStyle({ style = 'form', explode = style === 'form' }: Json): Style {
  if (style === 'deepObject') return 'brackets'
  return explode === true ? 'repeat' : (delimited[asString(style)] ?? 'comma')
}

function contentSchema(content: unknown): unknown {
  const first = isObject(content) ? Object.values(content)[0] : undefined
  return isObject(first) ? first.schema : undefined
}

function described(schema: unknown, { description }: Json): unknown {
  if (!isObject(schema) || typeof description !== 'string' || 'description' in schema) return schema
  return { ...schema, description }
}

type Field = { name: string; schema: unknown; isRequired: boolean; style?: Style }
type Body = {
  format: 'json' | 'form'
  fields: Field[]
  whole: { schema: unknown; isRequired: boolean } | null
  /** The kinds of JSON that the API accepts, if plain JSON is not one of them. */
  types: string[]
  /** The document says that it takes fields of any name. */
  isOpen: boolean
}

/** Without parameters like `charset`. */
function plainType(type: string): string {
  return type.split(';')[0]?.trim() ?? ''
}

const upload = /^(multipart|image|audio|video)\/|octet-stream/i
const anyJson = /^application\/([^;]*\+)?json/i

function readBody(ctx: Context, { method, operation }: Operation): Body | string {
  const none: Body = { format: 'json', fields: [], whole: null, types: [], isOpen: false }
  const body = followReferences(ctx.document, operation.requestBody)
  if (!body || !isObject(body.content)) return none
  if (method === 'GET' || method === 'HEAD') {
    return body.required === true ? `The operation needs a body, which cannot be sent with ${method}.` : none
  }
  const media = Object.entries(body.content)
  const plain = media.find(([type]) => /^application\/json\s*(;|$)/i.test(type) || type === '*/*')
  const json = plain ?? media.find(([type]) => anyJson.test(type))
  const form = media.find(([type]) => /^application\/x-www-form-urlencoded/i.test(type))
  const chosen = json ?? form
  if (!chosen) {
    // Few documents say that the file of an upload is required.
    const isOptional = body.required !== true && !media.every(([type]) => upload.test(type))
    if (media.length === 0 || isOptional) return none
    return `Its body is ${media.map(([type]) => type).join(' or ')}; only JSON and forms can be sent.`
  }
  const format = json ? 'json' : 'form'
  const given = isObject(chosen[1]) ? chosen[1].schema : undefined
  if (given === undefined && !json) return none
  const schema = given ?? {}
  const types = json && !plain ? media.flatMap(([type]) => (anyJson.test(type) ? [plainType(type)] : [])) : []
  const object = flatObject(ctx, schema)
  if (!object)
    return {
      format,
      types,
      fields: [],
      isOpen: false,
      whole: { schema: described(schema, body), isRequired: body.required === true },
    }
  const requiredNames = asArray(object.required).map(asString)
  const properties = isObject(object.properties) ? object.properties : {}
  const reserved = readOnlyNames(ctx.document, object)
  const fields = Object.entries(properties)
    .filter(([name]) => !reserved.has(name) && !changesMethod(name))
    .map(([name, property]) => ({
      name,
      schema: property,
      isRequired: requiredNames.includes(name),
      ...(json ? {} : formStyle(ctx, chosen[1], name, property)),
    }))
  return { format, types, fields, whole: null, isOpen: object.additionalProperties === true }
}

const single = new Set<unknown>(['string', 'number', 'integer', 'boolean', 'null'])

function typesOf(schema: Json | null): unknown[] {
  return schema && 'type' in schema ? [schema.type].flat() : []
}

/** OpenAPI's default for lists in a form is to repeat the name. It has none for lists of objects. */
function formStyle(ctx: Context, media: unknown, name: string, property: unknown): { style?: Style } {
  const list = followReferences(ctx.document, property)
  const items = typesOf(followReferences(ctx.document, list?.items))
  const isPlainList =
    typesOf(list).includes('array') && items.length > 0 && items.every((type) => single.has(type))
  const encodings = isObject(media) && isObject(media.encoding) ? media.encoding : {}
  const encoding = isObject(encodings[name]) ? encodings[name] : {}
  return isPlainList ? { style: listStyle(encoding) } : {}
}

/** An object whose fields can become inputs of their own. Anything more complex stays in one piece. */
function flatObject(ctx: Context, schema: unknown): Json | null {
  const object = followReferences(ctx.document, schema)
  if (!object || !isObject(object.properties) || Object.keys(object.properties).length === 0) return null
  const isClever = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'patternProperties'].some(
    (keyword) => keyword in object,
  )
  return isClever || isObject(object.additionalProperties) ? null : object
}
