import { reservedHeaders } from '../../../platform/egress/judge-headers.ts'
import { isObject } from '../../../platform/json/is-object.ts'
import type { AuthType } from '../../auth/contract.ts'
import { findKeyInUrl } from '../../auth/credential-in-url.ts'
import type { JsonSchema } from '../../contract.ts'
import { type ImportPreview, type Method, methods, type NewTool } from '../../contract.ts'
import { checkTool } from '../../manage/draft/check-tool.ts'
import { draftToolOf } from '../../manage/draft/draft.ts'
import { collectInputs } from '../collect-inputs.ts'
import { createNamer } from '../create-namer.ts'
import { kindOfJson } from '../kind-of-json.ts'
import { looksLikeQuery } from '../looks-like-query.ts'
import { DocumentError } from '../openapi/read-document.ts'
import { suggestedCapability } from '../suggested-capability.ts'
import { type CurlRequest, parseCurl } from './parse-curl.ts'
import { splitPath } from './split-path.ts'

/** Headers that the request sets itself, or that mean nothing to an API. */
const dropped = new Set([
  ...reservedHeaders,
  'content-type',
  'accept-encoding',
  'user-agent',
  'referer',
  'origin',
  'sec-fetch-mode',
])

const credentialPart = /auth|key|token|secret|passw|passphrase|passcode|pwd|credential|signature/i
/** Only as whole credentialWord: `design` and `passenger` are harmless. */
const credentialWord = /(?<![a-z])(pass|pw|appid|sig)(?![a-z])/i

/** One curl line becomes a connector with one tool; the values in it become inputs. */
export function importCurl(line: string): ImportPreview {
  const request = parseCurl(line)
  // `find` returns one of our own methods, or undefined.
  const method = methods.find((known) => known === request.method)
  if (!method)
    throw new DocumentError(`The method ${request.method} cannot be a tool. Use ${methods.join(', ')}.`)
  const { auth, headers } = splitAuth(request)
  if (auth.authType === 'query') request.url.searchParams.delete(auth.authName ?? '')
  const { tool, warnings } = toolFrom(request, method)
  const [fault] = checkTool(draftToolOf(tool))
  return {
    connector: {
      type: 'http',
      name: request.url.hostname.replace(/^(api|www)\./, '').slice(0, 100),
      baseUrl: request.url.origin,
      defaultHeaders: Object.fromEntries(headers),
      ...auth,
    },
    tools: fault ? [] : [tool],
    onlyQueries: !fault && looksLikeQuery(method, tool.path) ? [tool.name] : [],
    skipped: fault ? [{ operation: tool.description, reason: `${fault.pointer}: ${fault.detail}` }] : [],
    warnings: [...request.warnings, ...warnings],
  }
}

type Auth = { authType: AuthType; authName?: string; authValue?: string }

function splitAuth({ url, user, headers }: CurlRequest): { auth: Auth; headers: [string, string][] } {
  const kept = headers.filter(([name]) => !dropped.has(name.toLowerCase()))
  if (user !== null) {
    return { auth: { authType: 'basic', authValue: user.includes(':') ? user : `${user}:` }, headers: kept }
  }
  const authorization = kept.find(([name]) => name.toLowerCase() === 'authorization')
  const bearer = /^bearer\s+(.+)$/i.exec(authorization?.[1] ?? '')?.[1]
  const basic = /^basic\s+([A-Za-z0-9+/=]+)$/i.exec(authorization?.[1] ?? '')?.[1]
  const rest = kept.filter((header) => header !== authorization)
  if (bearer) return { auth: { authType: 'bearer', authValue: bearer }, headers: rest }
  if (basic)
    return { auth: { authType: 'basic', authValue: Buffer.from(basic, 'base64').toString() }, headers: rest }
  const key = authorization ?? kept.find(([name]) => /(^|-)(api-?key|key|token)$/i.test(name))
  const inQuery = findKeyInUrl(url.href)
  if (!key && inQuery)
    return { auth: { authType: 'query', authName: inQuery.name, authValue: inQuery.value }, headers: kept }
  if (!key) return { auth: { authType: 'none' }, headers: kept }
  return {
    auth: { authType: 'api_key', authName: key[0], authValue: key[1] },
    headers: kept.filter((header) => header !== key),
  }
}

function toolFrom(request: CurlRequest, method: Method): { tool: NewTool; warnings: string[] } {
  const inputs = collectInputs(method)
  const warnings: string[] = []
  /** The agent fills inputs, so a credential should not be one. */
  const add = (input: Parameters<typeof inputs.add>[0], fate: string) => {
    const property = inputs.add(input)
    if (isSecretName(input.name))
      warnings.push(`The input ${property} looks like a credential${fate}. Inputs are filled by the agent.`)
    return property
  }
  const { searchParams } = request.url
  /** As InfluxDB and others write user name and password. */
  const isPair = searchParams.has('u') && searchParams.has('p')
  const isSecretName = (name: string) => isCredentialName(name) || (isPair && (name === 'u' || name === 'p'))
  const body = readBody(request)
  for (const [name, value] of body.fields) {
    const isRepeated = body.format === 'form' && Array.isArray(value)
    const input = { name, place: 'body', schema: exampleSchema(value, name) } as const
    add(isRepeated ? { ...input, style: 'repeat' } : input, leftOut)
  }
  if (body.whole !== undefined) {
    inputs.add({ name: 'body', place: 'wholeBody', schema: exampleSchema(body.whole, ''), isRequired: true })
  }
  if (body.kind !== undefined) inputs.add(kindOfJson([body.kind]))
  const parts = splitPath(request.url.pathname)
  const path = parts
    .map((part) => {
      if ('text' in part) return part.text
      const { name, example, after } = part
      const schema = example === null ? { type: 'string' } : exampleSchema(example, name)
      return `{${add({ name, place: 'path', schema, isRequired: true }, '')}}${after}`
    })
    .join('/')
  for (const [name, value] of fieldsOf(searchParams))
    add({ name, place: 'query', schema: exampleSchema(value, name, isSecretName(name)) }, leftOut)
  const last =
    parts.flatMap((part) => ('text' in part && part.text !== '' ? [part.text] : [])).at(-1) ?? 'request'
  const tool: NewTool = {
    name: createNamer()(`${method.toLowerCase()}_${last}`),
    description: `${method} ${path}`,
    method,
    path,
    capability: suggestedCapability[method],
    locations: inputs.locations,
    bodyFormat: body.format,
    inputSchema: inputs.schema(),
  }
  return { tool, warnings }
}

const leftOut = '; its value was left out'

/** A name that is repeated, or that ends like `match[]`, has a list. */
function fieldsOf(params: URLSearchParams): [name: string, value: string | string[]][] {
  return [...new Set(params.keys())].map((name) => {
    const values = params.getAll(name)
    return [name, values.length > 1 || name.endsWith('[]') ? values : (values[0] ?? '')]
  })
}

type Body = {
  format: 'json' | 'form'
  /** The kind of JSON, if it is not the plain one. */
  kind?: string
  fields: [string, unknown][]
  whole?: unknown
}

function readBody({ body, headers }: CurlRequest): Body {
  if (body === null) return { format: 'json', fields: [] }
  const declared = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  const type = declared.split(';')[0]?.trim().toLowerCase() ?? ''
  const isKind = /^application\/[\w.-]+\+json$/.test(type)
  const isJson = isKind || type === 'application/json' || type === 'text/json'
  if (!isJson && type !== '' && type !== 'application/x-www-form-urlencoded') {
    throw new DocumentError(
      `The body of the curl line is ${type}, but a tool sends only JSON and urlencoded forms. If the API accepts one of them, change the curl line to use it.`,
    )
  }
  const json = { format: 'json', ...(isKind ? { kind: type } : {}) } as const
  try {
    const value: unknown = JSON.parse(body)
    const fields = isObject(value) ? Object.entries(value) : []
    if (fields.length > 0) return { ...json, fields }
    if (isJson || isObject(value) || Array.isArray(value)) return { ...json, fields: [], whole: value }
  } catch {
    // curl sends a form by default. A body that is declared as JSON and is not cannot be read.
    if (isJson) throw new DocumentError('The body of the curl line is not valid JSON.')
  }
  if (!isForm(body)) {
    throw new DocumentError(
      'The body of the curl line is neither JSON nor a urlencoded form, and a tool sends only these. If the API accepts one of them, change the curl line to use it.',
    )
  }
  return { format: 'form', fields: fieldsOf(new URLSearchParams(body)) }
}

/** Fields like `name=value`. A line such as `cpu,host=a value=0.64` of InfluxDB has the same characters in another order. */
function isForm(body: string): boolean {
  return body.split('&').every((field) => !/[\s,]/.test(field.split('=')[0] ?? ''))
}

/** The schema of an example value, with the value itself as a hint unless it, or what contains it, may be a secret. */
function exampleSchema(value: unknown, name: string, isWithinSecret = false): JsonSchema {
  const isSecret = isWithinSecret || isCredentialName(name)
  if (Array.isArray(value)) {
    return { type: 'array', items: value.length > 0 ? exampleSchema(value[0], name, isSecret) : {} }
  }
  if (isObject(value)) {
    const inner = Object.entries(value).map(([key, one]) => [key, exampleSchema(one, key, isSecret)])
    return { type: 'object', properties: Object.fromEntries(inner) }
  }
  if (value === null) return {}
  const type = typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'number') : typeof value
  return isSecret ? { type } : { type, examples: [value] }
}

/** Whether a value of this name may be a secret. Too often is better than too rarely: all that is lost is an example. */
function isCredentialName(name: string): boolean {
  return credentialPart.test(name) || credentialWord.test(name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' '))
}
