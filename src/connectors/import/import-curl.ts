import { reservedHeaders } from '../../platform/egress/judge-headers.ts'
import { isObject } from '../../platform/json/is-object.ts'
import {
  type AuthType,
  type ImportPreview,
  type JsonSchema,
  type Method,
  methods,
  type NewTool,
} from '../contract.ts'
import { collectInputs } from './collect-inputs.ts'
import { createNamer } from './create-namer.ts'
import { type CurlRequest, parseCurl } from './parse-curl.ts'
import { DocumentError } from './read-document.ts'
import { splitPath } from './split-path.ts'
import { suggestedCapability } from './suggested-capability.ts'

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

/** One curl line becomes a connector with one tool; the values in it become inputs. */
export function importCurl(line: string): ImportPreview {
  const request = parseCurl(line)
  // `find` returns one of our own methods, or undefined.
  const method = methods.find((known) => known === request.method)
  if (!method)
    throw new DocumentError(`The method ${request.method} cannot be a tool. Use ${methods.join(', ')}.`)
  const { auth, headers } = splitAuth(request)
  const tool = toolFrom(request, method)
  return {
    connector: {
      type: 'http',
      name: request.url.hostname.replace(/^(api|www)\./, '').slice(0, 100),
      baseUrl: request.url.origin,
      defaultHeaders: Object.fromEntries(headers),
      ...auth,
    },
    tools: [tool],
    skipped: [],
    warnings: [...request.warnings, ...credentialWarnings(tool)],
  }
}

type Auth = { authType: AuthType; authHeaderName?: string; authValue?: string }

function splitAuth({ user, headers }: CurlRequest): { auth: Auth; headers: [string, string][] } {
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
  if (!key) return { auth: { authType: 'none' }, headers: kept }
  return {
    auth: { authType: 'api_key', authHeaderName: key[0], authValue: key[1] },
    headers: kept.filter((header) => header !== key),
  }
}

function toolFrom(request: CurlRequest, method: Method): NewTool {
  const inputs = collectInputs(method)
  const body = readBody(request)
  for (const [name, value] of body.fields) inputs.add({ name, place: 'body', schema: schemaFor(value, name) })
  if (body.whole !== undefined) {
    inputs.add({ name: 'body', place: 'wholeBody', schema: schemaFor(body.whole), isRequired: true })
  }
  const parts = splitPath(request.url.pathname)
  const path = parts
    .map((part) => {
      if ('text' in part) return part.text
      const { name, example, after } = part
      const schema = { type: 'string', ...(example === null ? {} : { examples: [example] }) }
      return `{${inputs.add({ name, place: 'path', schema, isRequired: true })}}${after}`
    })
    .join('/')
  for (const name of new Set(request.url.searchParams.keys())) {
    const values = request.url.searchParams.getAll(name)
    const schema =
      values.length > 1
        ? { type: 'array', items: { type: 'string' }, examples: [values] }
        : schemaFor(values[0] ?? '', name)
    inputs.add({ name, place: 'query', schema })
  }
  const last =
    parts.flatMap((part) => ('text' in part && part.text !== '' ? [part.text] : [])).at(-1) ?? 'request'
  return {
    name: createNamer()(`${method.toLowerCase()}_${last}`),
    description: `${method} ${path}`,
    method,
    path,
    capability: suggestedCapability[method],
    locations: inputs.locations,
    bodyFormat: body.format,
    inputSchema: inputs.schema(),
  }
}

type Body = { format: 'json' | 'form'; fields: [string, unknown][]; whole?: unknown }

function readBody({ body, headers }: CurlRequest): Body {
  if (body === null || body.startsWith('@')) return { format: 'json', fields: [] }
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  try {
    const value: unknown = JSON.parse(body)
    if (isObject(value)) return { format: 'json', fields: Object.entries(value) }
    if (/json/i.test(type)) return { format: 'json', fields: [], whole: value }
  } catch {
    // curl sends a form by default. A body that is declared as JSON and is not cannot be read.
    if (/json/i.test(type)) throw new DocumentError('The body of the curl line is not valid JSON.')
  }
  return { format: 'form', fields: [...new URLSearchParams(body)] }
}

const credentialName = /auth|key|token|secret|password|credential/i

/** The model fills inputs, so a credential must not be one. */
function credentialWarnings({ inputSchema }: NewTool): string[] {
  const names = isObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : []
  return names
    .filter((name) => credentialName.test(name))
    .map(
      (name) =>
        `The input ${name} looks like a credential; its value was left out. Inputs are filled by the agent.`,
    )
}

/** The schema of an example value, with the value itself as a hint unless it may be a secret. */
function schemaFor(value: unknown, name = ''): JsonSchema {
  if (Array.isArray(value)) return { type: 'array', items: value.length > 0 ? schemaFor(value[0]) : {} }
  if (isObject(value)) {
    return {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, schemaFor(inner, key)]),
      ),
    }
  }
  if (value === null) return {}
  const type = typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'number') : typeof value
  return credentialName.test(name) ? { type } : { type, examples: [value] }
}
