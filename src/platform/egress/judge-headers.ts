import { EgressError } from './egress-error.ts'

/**
 * Headers that only the connection itself may set (RFC 9110 §7.6.1, and those of message framing). The last ones would turn the
 * request into another method than the one that was checked.
 */
export const reservedHeaders: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
])

/** RFC 9110 §5.6.2. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** RFC 9110 §5.5 without the obsolete bytes: what is sent is exactly what a person has read. */
const fieldValue = /^[\t\x20-\x7e]*$/

export function isHeaderName(name: string): boolean {
  return token.test(name)
}

export function isHeaderValue(value: string): boolean {
  return fieldValue.test(value)
}

export function judgeHeaders(headers: Readonly<Record<string, string>>): EgressError | null {
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeaderName(name)) return invalid('A header name has characters that are not allowed.')
    if (reservedHeaders.has(name.toLowerCase())) return invalid(`The header ${name} cannot be set.`)
    if (!isHeaderValue(value)) {
      return invalid(`The value of the header ${name} has a line break or a character outside of ASCII.`)
    }
  }
  return null
}

function invalid(message: string): EgressError {
  return new EgressError('invalid_request', message)
}
