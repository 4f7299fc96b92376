import type { FieldError } from '../../../http/problems.ts'
import { originOf } from '../../../platform/http-server/origin-of.ts'
import { escapePointer } from '../../../platform/json/escape-pointer.ts'
import { Secret } from '../../../platform/secret.ts'
import type { AuthType, HeaderInput } from '../../auth/contract.ts'
import { type OauthSettings, patchOauth, usesOauth } from '../../auth/oauth-settings.ts'
import type {
  Capability,
  HttpConnectorPatch,
  JsonSchema,
  Location,
  Method,
  NewHttpConnector,
  NewTool,
  Permission,
  ToolPatch,
} from '../../contract.ts'

export type DraftTool = {
  name: string
  description: string
  method: Method
  path: string
  capability: Capability
  /** Null while it follows from the capability. */
  permission: Permission | null
  locations: Record<string, Location>
  bodyFormat: 'json' | 'form'
  inputSchema: JsonSchema
  outputSchema: JsonSchema | null
}

/** A connector as it will be after a save: complete, so that it is checked as a whole. */
export type Draft = {
  name: string
  baseUrl: string
  /** A `Secret` value is, or will be, sealed. */
  headers: { name: string; value: string | Secret }[]
  authType: AuthType
  authName: string | null
  authValue: Secret | null
  /** Null unless the auth type uses it. */
  oauth: OauthSettings | null
  timeoutMs: number | null
  signRequests: boolean
  tools: DraftTool[]
}

/** Headers with names that look like credentials are sealed, flagged or not. */
const credentialName = /auth|key|token|secret|cookie|password|credential/i

/** What both types of connector have. */
type NewSettings = Pick<
  NewHttpConnector,
  | 'name'
  | 'baseUrl'
  | 'defaultHeaders'
  | 'authType'
  | 'authName'
  | 'authValue'
  | 'oauth'
  | 'timeoutMs'
  | 'signRequests'
  | 'tools'
>

export function draftOf(given: NewSettings): { draft: Draft; errors: FieldError[] } {
  const empty: Draft = {
    name: given.name,
    baseUrl: given.baseUrl,
    headers: [],
    authType: given.authType,
    authName: given.authName ?? null,
    authValue: null,
    oauth: null,
    timeoutMs: given.timeoutMs ?? null,
    signRequests: given.signRequests ?? false,
    tools: given.tools.map(draftToolOf),
  }
  return applySecrets(empty, given, true)
}

/**
 * A merge patch: absent fields stay, `null` clears. A new origin drops the stored secrets unless the patch brings them again, so
 * that nobody can send somebody else's secret to their own server.
 */
export function patchDraft(before: Draft, patch: HttpConnectorPatch): { draft: Draft; errors: FieldError[] } {
  const baseUrl = patch.baseUrl ?? before.baseUrl
  const staysHere = originOf(baseUrl) === originOf(before.baseUrl)
  const merged: Draft = {
    name: patch.name ?? before.name,
    baseUrl,
    headers:
      patch.defaultHeaders === null
        ? []
        : before.headers.filter(({ value }) => staysHere || typeof value === 'string'),
    authType: patch.authType === null ? 'none' : (patch.authType ?? before.authType),
    authName: patch.authName === undefined ? before.authName : patch.authName,
    authValue: staysHere ? before.authValue : null,
    oauth: before.oauth,
    timeoutMs: patch.timeoutMs === undefined ? before.timeoutMs : patch.timeoutMs,
    signRequests: patch.signRequests === undefined ? before.signRequests : (patch.signRequests ?? false),
    tools: patch.tools === undefined ? before.tools : (patch.tools ?? []).map(draftToolOf),
  }
  return applySecrets(merged, patch, staysHere)
}

function applySecrets(
  draft: Draft,
  given: Pick<HttpConnectorPatch, 'authValue' | 'defaultHeaders' | 'oauth'>,
  staysHere: boolean,
): { draft: Draft; errors: FieldError[] } {
  const errors: FieldError[] = []
  let { authValue } = draft
  if (given.authValue === null) authValue = null
  else if (typeof given.authValue === 'string') authValue = new Secret(given.authValue)
  else if (given.authValue?.set && !authValue) {
    errors.push({
      pointer: '/authValue',
      detail: 'No value is stored for this address; send the value itself.',
    })
  }
  let headers = draft.headers
  for (const [name, value] of Object.entries(given.defaultHeaders ?? {})) {
    const isSame = (header: { name: string }) => header.name.toLowerCase() === name.toLowerCase()
    const old = headers.find(isSame)
    if (value === null) headers = headers.filter((header) => !isSame(header))
    else if (typeof value === 'object' && 'set' in value) {
      if (!old)
        errors.push({
          pointer: headerPointer(name),
          detail: 'No value is stored here; send the value itself.',
        })
    } else {
      const next = { name, value: headerValue(name, value) }
      headers = old ? headers.map((header) => (isSame(header) ? next : header)) : [...headers, next]
    }
  }
  const { authType } = draft
  if (!usesOauth(authType)) {
    return {
      draft: { ...draft, headers, oauth: null, authValue: authType === 'none' ? null : authValue },
      errors,
    }
  }
  const patched = patchOauth(draft.oauth, given.oauth, staysHere)
  return {
    draft: { ...draft, headers, authValue: null, oauth: patched.oauth },
    errors: [...errors, ...patched.errors],
  }
}

function headerValue(name: string, value: Exclude<HeaderInput, { set: boolean }>): string | Secret {
  const { value: text, secret = false } = typeof value === 'string' ? { value } : value
  return secret || credentialName.test(name) ? new Secret(text) : text
}

export function headerPointer(name: string): string {
  return `/defaultHeaders/${escapePointer(name)}`
}

export function draftToolOf(given: NewTool): DraftTool {
  return {
    name: given.name,
    description: given.description,
    method: given.method,
    path: given.path,
    capability: given.capability,
    permission: given.permission ?? null,
    locations: given.locations ?? {},
    bodyFormat: given.bodyFormat ?? 'json',
    inputSchema: given.inputSchema,
    outputSchema: given.outputSchema ?? null,
  }
}

/** A schema is replaced as a whole: merging could neither drop a property nor keep a `null`. */
export function patchTool(before: DraftTool, patch: ToolPatch): DraftTool {
  const locations = patch.locations === null ? {} : { ...before.locations, ...patch.locations }
  return {
    name: patch.name ?? before.name,
    description: patch.description ?? before.description,
    method: patch.method ?? before.method,
    path: patch.path ?? before.path,
    capability: patch.capability ?? before.capability,
    permission: patch.permission === undefined ? before.permission : patch.permission,
    locations: Object.fromEntries(
      Object.entries(locations).filter((entry): entry is [string, Location] => entry[1] !== null),
    ),
    bodyFormat: patch.bodyFormat === undefined ? before.bodyFormat : (patch.bodyFormat ?? 'json'),
    inputSchema: patch.inputSchema ?? before.inputSchema,
    outputSchema: patch.outputSchema === undefined ? before.outputSchema : patch.outputSchema,
  }
}
