import { hiddenValue } from './auth-placement.ts'

const credentialWords =
  /^(key|apikey|appkey|appid|accesskey|auth|authkey|authorization|token|accesstoken|authtoken|apitoken|secret|clientsecret|password|passwd|passphrase|passcode|pass|pwd|pw|credential|credentials|sig|signature)$/i

/** Values that no credential has, such as `auth=none`. */
const harmless = /^(true|false|none|null|yes|no|asc|desc|.{0,3})$/i

/** Whether a query parameter of this name carries a credential: `api_key`, `accessToken`, `x-auth-token`, but not `keyword` or `sort_key`. */
export function isKeyName(name: string): boolean {
  const words = name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .split(/[^a-zA-Z]+/)
    .filter(Boolean)
  const last = words.at(-1) ?? ''
  return (
    credentialWords.test(words.join('')) ||
    (credentialWords.test(last) &&
      !/^(sort|order|partition|primary|foreign|page|next|cursor|continuation|sync|group)$/i.test(
        words.at(-2) ?? '',
      ))
  )
}

type Found = { name: string; value: string }

/** The first parameter in the query of a URL or path that looks like a credential. Placeholders are inputs, not values. */
export function findKeyInUrl(url: string): Found | null {
  const found = parametersOf(url).find(isKey)
  return found ? { name: decode(found.name), value: decode(found.value) } : null
}

/** What to do instead. */
export function describeKeyInUrl({ name }: Found): string {
  return (
    `The query carries what looks like a credential (${name}=…), which would be stored and shown in clear. Remove it here, ` +
    `and enter its value as the secret of the connector: authType "query" with authName "${name}" appends it to every request.`
  )
}

export function removeFromUrl(url: string, name: string): string {
  return rewriteQuery(url, (parameters) => parameters.filter((one) => decode(one.name) !== name))
}

/** For logs and pages. */
export function maskKeysInUrl(url: string): string {
  if (findKeyInUrl(url) === null) return url
  return rewriteQuery(url, (parameters) =>
    parameters.map((one) => (isKey(one) ? { ...one, text: `${one.name}=${hiddenValue}` } : one)),
  )
}

type Parameter = Found & { text: string }

function isKey({ name, value }: Parameter): boolean {
  return isKeyName(decode(name)) && !harmless.test(value) && !/\{[^{}]+\}/.test(value)
}

function parametersOf(url: string): Parameter[] {
  const at = url.indexOf('?')
  if (at < 0) return []
  return url
    .slice(at + 1)
    .split('&')
    .map((text) => {
      const [name = '', value = ''] = text.split(/=(.*)/s)
      return { text, name, value }
    })
}

function rewriteQuery(url: string, change: (parameters: Parameter[]) => Parameter[]): string {
  const query = change(parametersOf(url))
    .map(({ text }) => text)
    .join('&')
  const [before = ''] = url.split('?')
  return query === '' ? before : `${before}?${query}`
}

function decode(text: string): string {
  return new URLSearchParams(`a=${text}`).get('a') ?? text
}
