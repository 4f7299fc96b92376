import type { AuthType, HttpConnector } from '../../contract.ts'
import { bodyField } from '../../ui/body-field.ts'

type HeaderRow = {
  name: string
  value: string
  secret: boolean
  /** Stored and never shown again. */
  sealed: boolean
}

export type HttpValues = {
  name: string
  baseUrl: string
  defaultHeaders: HeaderRow[]
  authType: AuthType
  authHeaderName: string
  authValue: string
  timeoutMs: number | string
}

export const newHttp: HttpValues = {
  name: '',
  baseUrl: '',
  defaultHeaders: [],
  authType: 'none',
  authHeaderName: '',
  authValue: '',
  timeoutMs: 30_000,
}

export function toHttpValues(connector: HttpConnector): HttpValues {
  return {
    name: connector.name,
    baseUrl: connector.baseUrl,
    defaultHeaders: Object.entries(connector.defaultHeaders).map(([name, value]) =>
      typeof value === 'string'
        ? { name, value, secret: false, sealed: false }
        : { name, value: '', secret: true, sealed: true },
    ),
    authType: connector.authType,
    authHeaderName: connector.authHeaderName ?? '',
    authValue: '',
    timeoutMs: connector.timeoutMs,
  }
}

/** A complete body for a new one, a merge patch for a stored one. Secrets that were not typed are left out. */
export function toHttpBody(values: HttpValues, before: HttpConnector | null): Record<string, unknown> {
  const headers: Record<string, unknown> = {}
  if (before) for (const name of Object.keys(before.defaultHeaders)) headers[name] = null
  for (const { name, value, secret, sealed } of values.defaultHeaders) {
    if (name.trim() === '') continue
    headers[name.trim()] = sealed && value === '' ? { set: true } : secret ? { value, secret } : value
  }
  return {
    ...(before ? {} : { type: 'http' }),
    name: values.name.trim(),
    baseUrl: values.baseUrl.trim(),
    defaultHeaders: headers,
    authType: values.authType,
    ...(values.authType === 'api_key'
      ? bodyField('authHeaderName', values.authHeaderName.trim(), before !== null)
      : {}),
    ...(values.authType !== 'none' && values.authValue !== '' ? { authValue: values.authValue } : {}),
    ...bodyField('timeoutMs', values.timeoutMs === '' ? '' : Number(values.timeoutMs), before !== null),
  }
}

/** By field. Two rows of one name, or a value without a name, cannot be sent. */
export function headerProblems(rows: HeaderRow[]): Record<string, string | null> {
  const names = rows.map(({ name }) => name.trim().toLowerCase())
  const problemOf = ({ value }: HeaderRow, at: number) => {
    const name = names[at] ?? ''
    if (name === '') return value === '' ? null : 'Name the header, or remove the row.'
    return names.indexOf(name) < at ? 'This header is in a row above.' : null
  }
  return Object.fromEntries(rows.map((row, at) => [`defaultHeaders.${at}.name`, problemOf(row, at)]))
}

export const withoutHttpSecrets = (values: HttpValues): HttpValues => ({
  ...values,
  authValue: '',
  defaultHeaders: values.defaultHeaders.map((row) => (row.secret ? { ...row, value: '' } : row)),
})
