import type { Webhook } from '../../../contract.ts'

export type VerificationValues = {
  preset: string
  secrets: string[]
  header: string
  algorithm: string
  keyEncoding: string
  encoding: string
  prefix: string
  listKey: string
  template: string
  timestampHeader: string
  timestampListKey: string
  timestampPointer: string
  timestampUnit: string
  toleranceSeconds: number | string
}

export const noVerification: VerificationValues = {
  preset: '',
  secrets: ['', ''],
  header: '',
  algorithm: 'hmac-sha256',
  keyEncoding: 'utf-8',
  encoding: 'hex',
  prefix: '',
  listKey: '',
  template: '{body}',
  timestampHeader: '',
  timestampListKey: '',
  timestampPointer: '',
  timestampUnit: 's',
  toleranceSeconds: 300,
}

export function toVerificationValues(verification: Webhook['verification']): VerificationValues {
  if (!verification) return noVerification
  // Only the fields of the form; the server keeps any others.
  const known = Object.entries(verification).filter(
    ([name, value]) => name in noVerification && name !== 'secrets' && value !== null,
  )
  return { ...noVerification, ...Object.fromEntries(known) }
}

/** In a patch, an emptied field is cleared; in a new webhook it is left out, and without a secret nothing can be verified yet. */
export function toVerificationBody(
  values: VerificationValues,
  isPatch: boolean,
): Record<string, unknown> | null {
  if (values.preset === '') return null
  const secrets = values.secrets.map((secret) => secret.trim()).filter((secret) => secret !== '')
  if (!isPatch && secrets.length === 0) return null
  const filled = (names: readonly (keyof VerificationValues)[]) =>
    Object.fromEntries(
      names
        .map((name) => [name, values[name] === '' ? null : values[name]] as const)
        .filter(([, value]) => isPatch || value !== null),
    )
  const common = { preset: values.preset, ...(secrets.length > 0 ? { secrets } : {}) }
  if (values.preset === 'shared_secret') return { ...common, ...filled(['header', 'prefix']) }
  if (values.preset === 'grafana') return { ...common, ...filled(['header', 'timestampHeader']) }
  if (values.preset !== 'generic') return common
  const hasTime = [values.timestampHeader, values.timestampListKey, values.timestampPointer].some(Boolean)
  return {
    ...common,
    ...filled(['header', 'prefix', 'listKey', 'timestampHeader', 'timestampListKey', 'timestampPointer']),
    algorithm: values.algorithm,
    keyEncoding: values.keyEncoding,
    encoding: values.encoding,
    ...(values.algorithm === 'equality' ? {} : { template: values.template }),
    ...(hasTime
      ? { timestampUnit: values.timestampUnit, toleranceSeconds: Number(values.toleranceSeconds) }
      : {}),
  }
}
