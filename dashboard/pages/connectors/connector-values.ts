import type { AuthType, Connector } from '../../contract.ts'
import { bodyField } from '../../ui/forms/body-field.ts'
import { fieldErrors, pointedErrors } from '../../ui/forms/field-errors.ts'
import { changedFields } from '../../ui/forms/merge-server-values.ts'
import { usesOauth } from './auth/auth-labels.ts'
import { newOauth, type OauthValues, toOauthBody, toOauthValues } from './auth/oauth-values.ts'

type HeaderRow = {
  name: string
  value: string
  secret: boolean
  /** Stored and never shown again. */
  sealed: boolean
}

export type ConnectorValues = {
  name: string
  /** Of an HTTP API. */
  baseUrl: string
  /** Of an MCP server. */
  url: string
  defaultHeaders: HeaderRow[]
  authType: AuthType
  authName: string
  authValue: string
  oauth: OauthValues
  timeoutMs: number | string
  signRequests: boolean
}

export const newConnector: ConnectorValues = {
  name: '',
  baseUrl: '',
  url: '',
  defaultHeaders: [],
  authType: 'none',
  authName: '',
  authValue: '',
  oauth: newOauth,
  timeoutMs: 30_000,
  signRequests: false,
}

export function toConnectorValues(connector: Connector): ConnectorValues {
  return {
    name: connector.name,
    baseUrl: connector.type === 'http' ? connector.baseUrl : '',
    url: connector.type === 'mcp' ? connector.url : '',
    defaultHeaders: Object.entries(connector.defaultHeaders).map(([name, value]) =>
      typeof value === 'string'
        ? { name, value, secret: false, sealed: false }
        : { name, value: '', secret: true, sealed: value.set },
    ),
    authType: connector.authType,
    authName: connector.authName ?? '',
    authValue: '',
    oauth: toOauthValues(connector.oauth),
    timeoutMs: connector.timeoutMs,
    signRequests: connector.signRequests,
  }
}

/**
 * A complete body for a new one. For a stored one a merge patch of what was changed, since somebody else may have changed the rest
 * meanwhile. Secrets that were not typed are left out.
 */
export function toConnectorBody(
  type: Connector['type'],
  values: ConnectorValues,
  before: Connector | null,
): Record<string, unknown> {
  const isStored = before !== null
  const { authType, authValue } = values
  const body = {
    name: values.name.trim(),
    ...(type === 'mcp' ? { url: values.url.trim() } : { baseUrl: values.baseUrl.trim() }),
    defaultHeaders: headersBody(values, before),
    authType,
    ...(authType === 'api_key' || authType === 'query'
      ? bodyField('authName', values.authName.trim(), isStored)
      : {}),
    ...(authType !== 'none' && !usesOauth(authType) && authValue !== '' ? { authValue } : {}),
    ...(usesOauth(authType) ? { oauth: toOauthBody(values.oauth, before?.oauth ?? null) } : {}),
    ...bodyField('timeoutMs', values.timeoutMs === '' ? '' : Number(values.timeoutMs), isStored),
    signRequests: values.signRequests,
  }
  if (before === null) return { type, ...body }
  const typed = changedFields(values, toConnectorValues(before))
  // A secret belongs to the way it is sent.
  const isSent = (name: string) => name in typed || (name === 'authType' && 'authValue' in body)
  return Object.fromEntries(Object.entries(body).filter(([name]) => isSent(name)))
}

export function addressOf(connector: Connector): string {
  return connector.type === 'mcp' ? connector.url : connector.baseUrl
}

function headersBody({ defaultHeaders, baseUrl, url }: ConnectorValues, before: Connector | null) {
  const rows = defaultHeaders
    .map((row) => ({ ...row, name: row.name.trim() }))
    .filter(({ name }) => name !== '')
  const known = before ? toConnectorValues(before).defaultHeaders : []
  const headers: Record<string, unknown> = {}
  for (const { name } of known) if (!rows.some((row) => row.name === name)) headers[name] = null
  for (const row of rows) {
    const { name, value, secret, sealed } = row
    const isKept = sealed && value === ''
    // Another address drops sealed headers: the server then asks for those that are still wanted.
    const mayBeLost = isKept && (baseUrl || url) !== (before && addressOf(before))
    const isKnown = known.some((one) => JSON.stringify(one) === JSON.stringify(row))
    if (isKnown && !mayBeLost) continue
    headers[name] = isKept ? { set: true } : secret ? { value, secret } : value
  }
  return headers
}

/** By field. Two rows of one name, or a value without a name, cannot be sent. */
export function headerProblems(rows: HeaderRow[]): Record<string, string | null> {
  const names = rows.map(({ name }) => name.trim().toLowerCase())
  const problemOf = ({ value }: HeaderRow, at: number) => {
    const name = names[at] ?? ''
    if (name === '') return value === '' ? null : 'Enter a header name, or remove the row.'
    return names.indexOf(name) < at ? 'This header is already listed above.' : null
  }
  return Object.fromEntries(rows.map((row, at) => [`defaultHeaders.${at}.name`, problemOf(row, at)]))
}

/** The server's errors by field. It names a header, whose row shows what is wrong. */
export function connectorErrors(error: unknown, values: ConnectorValues): Record<string, string> {
  const atFields = fieldErrors(error, values)
  for (const { parts, detail } of pointedErrors(error)) {
    const [list, header] = parts
    const at = values.defaultHeaders.findIndex(({ name }) => name.trim() === header)
    if (list !== 'defaultHeaders' || at === -1) continue
    delete atFields.defaultHeaders
    atFields[`defaultHeaders.${at}.${detail.includes('value') ? 'value' : 'name'}`] = detail
  }
  return atFields
}

export const withoutConnectorSecrets = (values: ConnectorValues): ConnectorValues => ({
  ...values,
  authValue: '',
  oauth: { ...values.oauth, clientSecret: '' },
  defaultHeaders: values.defaultHeaders.map((row) => (row.secret ? { ...row, value: '' } : row)),
})
