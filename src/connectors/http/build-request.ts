import type { FieldError } from '../../http/problems.ts'
import { isHeaderValue } from '../../platform/egress/judge-headers.ts'
import { escapePointer } from '../../platform/json/escape-pointer.ts'
import { isObject } from '../../platform/json/is-object.ts'
import { isRawNumber } from '../../platform/json/parse-exact-json.ts'
import { writePlainJson } from '../../platform/json/write-plain-json.ts'
import { authPlacement, hiddenValue } from '../auth/auth-placement.ts'
import type { AuthType } from '../auth/contract.ts'
import type { JsonSchema, Location, Method } from '../contract.ts'
import { inputNames } from '../schema/property-names.ts'
import { changesMethod } from './changes-method.ts'
import { asText, encodeQuery } from './encode-query.ts'
import { fillPlaceholders, type PlacedInput, placeInputs, placeOf } from './place-inputs.ts'
import { signatureHeaders } from './signature-headers.ts'

export type RequestTool = {
  method: Method
  path: string
  locations: Readonly<Record<string, Location>>
  bodyFormat: 'json' | 'form'
  inputSchema: JsonSchema
}

export type RequestConnector = {
  baseUrl: string
  /** `null` stands for a sealed value, which is filled in only while sending. */
  defaultHeaders: Readonly<Record<string, string | null>>
  authType: AuthType
  authName: string | null
  hasAuthValue: boolean
  /** Whom OAuth acts as. */
  account?: string | null
  signRequests?: boolean
}

/**
 * Everything that will be sent except the secrets: safe to store and to show. The versions of tool and connector identify the
 * secrets, so the bytes are fixed without a second copy of them.
 */
export type FrozenRequest = {
  method: Method
  url: string
  headers: Record<string, string>
  /** Header → what people see instead of its value. */
  secretHeaders: Record<string, string>
  /** The query parameter that is appended while sending. */
  secretQuery: string | null
  /** What is approved is sent with a receipt and a signature. */
  isSigned?: true
  body: string | null
}

/**
 * Builds the one request that a tool and an input mean. Pure. The input has passed the schema, but nothing relies on that. Faults
 * point into the input.
 */
export function buildRequest(
  tool: RequestTool,
  connector: RequestConnector,
  input: Readonly<Record<string, unknown>>,
  idempotencyKey: string,
): { ok: true; request: FrozenRequest } | { ok: false; errors: FieldError[] } {
  const errors: FieldError[] = []
  const placed = placeInputs(tool, input)
  const auth = authPlacement(connector)
  const secretQuery = auth?.in === 'query' ? auth.name : null
  // An input never overrides what is configured as a secret.
  const inputs = placed.filter(({ place, name }) => place !== 'query' || name !== secretQuery)
  const url = buildUrl(tool, connector.baseUrl, inputs, errors)
  const body = buildBody(tool, placed, errors)
  const headers = new Map<string, [name: string, value: string]>()
  const set = (name: string, value: string) => headers.set(name.toLowerCase(), [name, value])

  set('Accept', '*/*')
  set('User-Agent', 'Bellhop')
  if (body !== null)
    set('Content-Type', tool.bodyFormat === 'form' ? 'application/x-www-form-urlencoded' : 'application/json')
  if (tool.method !== 'GET') set('Idempotency-Key', idempotencyKey)
  const secretHeaders: Record<string, string> = {}
  for (const [name, value] of Object.entries(connector.defaultHeaders)) {
    if (value === null) secretHeaders[name] = hiddenValue
    else set(name, value)
  }
  for (const { property, name, value } of placed.filter(({ place }) => place === 'header')) {
    const text = Array.isArray(value) ? value.map(asText).join(', ') : asText(value)
    if (isHeaderValue(text)) set(name, text)
    else errors.push(fault(property, 'A header cannot carry line breaks or characters outside of ASCII.'))
  }
  if (auth?.in === 'header') {
    for (const name of Object.keys(secretHeaders)) {
      if (name.toLowerCase() === auth.name.toLowerCase()) delete secretHeaders[name]
    }
    secretHeaders[auth.name] = auth.shown
  }
  for (const name of Object.keys(secretHeaders)) headers.delete(name.toLowerCase())
  // Only we write what proves an approval.
  if (connector.signRequests) for (const name of signatureHeaders) headers.delete(name.toLowerCase())

  if (errors.length > 0 || url === null) return { ok: false, errors }
  const sentNames = [...url.searchParams.keys(), ...headers.keys(), ...namesInBody(tool, placed, body)]
  const hidden = sentNames.filter(changesMethod).map((name) => nameFault(placed, name))
  if (hidden.length > 0) return { ok: false, errors: hidden }
  return {
    ok: true,
    request: {
      method: tool.method,
      url: url.href,
      headers: Object.fromEntries(headers.values()),
      secretHeaders,
      secretQuery,
      ...(connector.signRequests ? { isSigned: true } : {}),
      body,
    },
  }
}

function buildUrl(
  tool: RequestTool,
  baseUrl: string,
  placed: PlacedInput[],
  errors: FieldError[],
): URL | null {
  const values = new Map(
    placed.filter(({ place }) => place === 'path').map((input) => [input.name, input.value]),
  )
  const queryAt = tool.path.indexOf('?')
  const pathTemplate = queryAt < 0 ? tool.path : tool.path.slice(0, queryAt)
  const queryTemplate = queryAt < 0 ? '' : tool.path.slice(queryAt + 1)

  const fill = (name: string, inPath: boolean) => {
    const text = singleValue(values.get(name))
    const complaint = inPath ? segmentFault(text) : text === null ? 'A single value is needed here.' : null
    if (complaint) errors.push(fault(name, complaint))
    return complaint ? '' : encodeOrFault(name, errors, () => [encodeURIComponent(text ?? '')]).join('')
  }
  const base = new URL(baseUrl)
  const basePath = base.pathname.replace(/\/+$/, '')
  const path = fillPlaceholders(pathTemplate, (name) => fill(name, true)).replace(/^\/+/, '')
  const query = [
    ...(queryTemplate === '' ? [] : [fillPlaceholders(queryTemplate, (name) => fill(name, false))]),
    ...placed
      .filter(({ place }) => place === 'query')
      .flatMap(({ property, name, value, style }) =>
        encodeOrFault(property, errors, () => encodeQuery(name, value, style ?? 'repeat')),
      ),
  ].join('&')
  if (errors.length > 0) return null

  const slash = pathTemplate === '' ? '' : '/'
  const url = new URL(`${base.origin}${basePath}${slash}${path}${query === '' ? '' : `?${query}`}`)
  const stays = url.pathname === basePath || url.pathname.startsWith(`${basePath}/`)
  // Cannot happen while the rules above hold; if it does, nothing must be sent.
  if (url.origin !== base.origin || !stays) throw new Error('A built URL has left the base URL.')
  return url
}

function singleValue(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (isRawNumber(value)) return value.rawJSON
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}

function segmentFault(text: string | null): string | null {
  if (text === null) return 'The path needs a value here: text, a number or true/false.'
  if (text === '') return 'The path needs a value here; it is empty.'
  return text === '.' || text === '..' ? 'A path value cannot be "." or "..".' : null
}

/** Not every text can be percent-encoded: lone surrogates cannot. */
function encodeOrFault(property: string, errors: FieldError[], write: () => string[]): string[] {
  try {
    return write()
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    errors.push(
      fault(
        property,
        'The text has half of a character (a lone surrogate) and cannot be part of a URL or a form.',
      ),
    )
    return []
  }
}

/** A tool with inputs in the body sends one even if all of them are left out. */
function buildBody(tool: RequestTool, placed: PlacedInput[], errors: FieldError[]): string | null {
  const isForm = tool.bodyFormat === 'form'
  const whole = placed.find(({ place }) => place === 'wholeBody')
  if (whole) return isForm ? formBody(fieldsOf(whole), errors) : writePlainJson(whole.value)
  const inBody = placed.filter(({ place }) => place === 'body')
  const couldHave = [...inputNames(tool.inputSchema)].some((name) => placeOf(tool, name).place === 'body')
  if (inBody.length === 0 && !couldHave) return null
  if (isForm) return formBody(inBody, errors)
  // fromEntries defines properties, so an input called __proto__ is a key like any other.
  return writePlainJson(Object.fromEntries(inBody.map(({ name, value }) => [name, value])))
}

function namesInBody({ bodyFormat }: RequestTool, placed: PlacedInput[], body: string | null): string[] {
  if (bodyFormat === 'form') return [...new URLSearchParams(body ?? '').keys()]
  return placed.flatMap(({ place, name, value }) => {
    if (place === 'wholeBody' && isObject(value)) return Object.keys(value)
    return place === 'body' ? [name] : []
  })
}

function nameFault(placed: readonly PlacedInput[], sentName: string): FieldError {
  const input = placed.find(({ name }) => name.toLowerCase() === sentName.toLowerCase())
  const detail = `${JSON.stringify(sentName)} could change the request’s method, so it is never sent.`
  return input ? fault(input.property, detail) : { pointer: '', detail }
}

type Field = Omit<PlacedInput, 'place'>

function fieldsOf({ property, value: fields }: Field): Field[] {
  if (typeof fields !== 'object' || fields === null || isRawNumber(fields)) return []
  return Object.entries(fields).map(([name, value]) => ({ property, name, value }))
}

function formBody(fields: Field[], errors: FieldError[]): string {
  return fields
    .flatMap(({ property, name, value, style }) =>
      encodeOrFault(property, errors, () => encodeQuery(name, value, style ?? 'brackets')),
    )
    .join('&')
}

function fault(property: string, detail: string): FieldError {
  return { pointer: `/${escapePointer(property)}`, detail }
}
