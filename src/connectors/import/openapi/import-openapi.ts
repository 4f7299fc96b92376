import { isIP } from 'node:net'
import { judgeAddress } from '../../../platform/egress/judge-address.ts'
import { judgeUrl } from '../../../platform/egress/judge-url.ts'
import { bareHost, type Policy } from '../../../platform/egress/parse-policy.ts'
import { isObject } from '../../../platform/json/is-object.ts'
import { type ImportPreview, type Method, methods, type NewTool, newToolShape } from '../../contract.ts'
import { checkTool } from '../../manage/draft/check-tool.ts'
import { draftToolOf } from '../../manage/draft/draft.ts'
import { createNamer } from '../create-namer.ts'
import { asArray, asString, type Json } from '../json-parts.ts'
import { looksLikeQuery } from '../looks-like-query.ts'
import { suggestedCapability } from '../suggested-capability.ts'
import { createSchemaCopier } from './create-schema-copier.ts'
import { followReferences } from './follow-references.ts'
import { operationInputs } from './operation-inputs.ts'
import { readAuth } from './read-auth.ts'
import { readDocument } from './read-document.ts'

const maxDescription = 1024
const maxTools = 2000

/** A preview: nothing is saved, the operator picks. Operations that cannot become tools are listed with the reason. */
export function importOpenapi(text: string, sourceUrl: string | null): ImportPreview {
  const document = readDocument(text)
  const copier = createSchemaCopier(document)
  const nameTool = createNamer()
  const tools: NewTool[] = []
  const onlyQueries: string[] = []
  const skipped: ImportPreview['skipped'] = []
  let baseUrl = readServer(document.servers, sourceUrl)

  /** Returns a text that says why, if the operation cannot be a tool. */
  function readTool(method: Method, path: string, pathItem: Json, operation: Json): NewTool | string {
    if (tools.length >= maxTools) return `Only the first ${maxTools} operations were imported.`
    const own = readServer(operation.servers, sourceUrl) ?? readServer(pathItem.servers, sourceUrl)
    baseUrl ??= own
    if (own !== null && own !== baseUrl)
      return `The operation is at another address, ${own}. Create a separate connector for it.`
    const given = { method, path: pathOnly(path), pathItem, operation }
    if (!newToolShape.shape.path.safeParse(given.path).success)
      return 'The path is too long, or has a NUL character.'
    const inputs = operationInputs({ document, copier }, given)
    if (typeof inputs === 'string') return inputs
    const preferred = asString(operation.operationId) || `${method.toLowerCase()}_${path.replace(/^\W+/, '')}`
    const tool: NewTool = {
      name: nameTool(preferred),
      description: describe(operation, `${method} ${path}`),
      method,
      capability: suggestedCapability[method],
      ...inputs,
    }
    const [fault] = checkTool(draftToolOf(tool))
    return fault ? `${fault.pointer}: ${fault.detail}` : tool
  }

  for (const [path, rawItem] of Object.entries(isObject(document.paths) ? document.paths : {})) {
    const pathItem = followReferences(document, rawItem)
    for (const method of methods) {
      const operation = pathItem?.[method.toLowerCase()]
      if (!pathItem || !isObject(operation)) continue
      const tool = readTool(method, path, pathItem, operation)
      if (typeof tool === 'string') skipped.push({ operation: `${method} ${path}`, reason: tool })
      else {
        tools.push(tool)
        if (looksLikeQuery(method, path, operation)) onlyQueries.push(tool.name)
      }
    }
  }
  const { warnings, ...auth } = readAuth(document)
  const info = isObject(document.info) ? document.info : {}
  baseUrl ??= sourceUrl ? new URL(sourceUrl).origin : ''
  if (baseUrl === '') warnings.push(whyNoAddress(document.servers))
  warnings.push(...warnOfPlainHttp(baseUrl))
  return {
    connector: {
      type: 'http',
      name: asString(info.title).trim().slice(0, 100) || 'Imported API',
      baseUrl,
      defaultHeaders: {},
      ...auth,
    },
    tools,
    onlyQueries,
    skipped,
    warnings,
  }
}

/** Some publishers distinguish operations on one path by a fragment, which is never sent. */
function pathOnly(path: string): string {
  return path.split('#')[0] ?? ''
}

function describe(operation: Json, fallback: string): string {
  const parts = [asString(operation.summary).trim(), asString(operation.description).trim()].filter(Boolean)
  const text = (parts[0] === parts[1] ? parts.slice(1) : parts).join('\n\n').replaceAll('\0', '')
  if (text === '') return fallback
  return text.length <= maxDescription ? text : `${text.slice(0, maxDescription - 1).toWellFormed()}…`
}

/**
 * The first address in the list, with https if the list has that too: the order of Swagger's `schemes` has no meaning. Null if
 * the list is empty; empty if the address is not usable.
 */
function readServer(servers: unknown, sourceUrl: string | null): string | null {
  const addresses = asArray(servers)
    .filter(isObject)
    .map((server) => readAddress(server, sourceUrl))
  const [first] = addresses
  if (first === undefined) return null
  const secure = first.replace(/^http:/, 'https:')
  return addresses.includes(secure) ? secure : first
}

function readAddress(server: Json, sourceUrl: string | null): string {
  const url = fillVariables(server)
  const base = sourceUrl ?? undefined
  if (!URL.canParse(url, base)) return ''
  const { origin, pathname, protocol } = new URL(url, base)
  return protocol === 'https:' || protocol === 'http:' ? (origin + pathname).replace(/\/+$/, '') : ''
}

function fillVariables(server: Json): string {
  const variables = isObject(server.variables) ? server.variables : {}
  return asString(server.url).replaceAll(/\{([^{}]+)\}/g, (_match, name: string) => {
    const variable = variables[name]
    return isObject(variable) ? String(variable.default ?? '') : ''
  })
}

/** A relative address counts from that of the document, which is not known if the document was pasted. */
function whyNoAddress(servers: unknown): string {
  const [first] = asArray(servers).filter(isObject)
  const path = first ? fillVariables(first) : ''
  return /^\/[^/]/.test(path)
    ? `The document has the path of the API, ${path}, but not its host. Enter the whole base URL.`
    : 'The document has no address of the API. Enter the base URL.'
}

const anyHost: Policy = { allowedHosts: [], exemptPairs: new Set(), exemptRanges: [] }

/** Within one machine or a private network, http is usual. */
function warnOfPlainHttp(baseUrl: string): string[] {
  if (!baseUrl.startsWith('http:') || isLocal(new URL(baseUrl))) return []
  return [
    'The address begins with http:, so credentials and answers are sent unencrypted. Use https: if the API has it.',
  ]
}

function isLocal(url: URL): boolean {
  const host = bareHost(url.hostname)
  return isIP(host) === 0 ? !judgeUrl(anyHost, [], url).ok : judgeAddress(host) === 'refused'
}
