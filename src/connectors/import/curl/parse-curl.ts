import { DocumentError } from '../openapi/read-document.ts'
import { curlData, urlQuery } from './curl-data.ts'
import { splitShellWords } from './split-shell-words.ts'

export type CurlRequest = {
  method: string
  url: URL
  headers: [name: string, value: string][]
  user: string | null
  body: string | null
  warnings: string[]
}

/** Long names of the short options that matter, or whose value must be skipped. */
const longNames: Record<string, string> = {
  X: 'request',
  H: 'header',
  d: 'data',
  u: 'user',
  A: 'user-agent',
  e: 'referer',
  b: 'cookie',
  F: 'form',
  G: 'get',
  I: 'head',
  o: 'output',
  w: 'write-out',
  m: 'max-time',
  x: 'proxy',
  T: 'upload-file',
  c: 'cookie-jar',
  E: 'cert',
  K: 'config',
  D: 'dump-header',
  r: 'range',
}

/** Options that take a value. All others stand alone. */
const withValue = new Set(
  [
    'request header data data-raw data-binary data-ascii data-urlencode json user user-agent url referer',
    'cookie form output write-out max-time connect-timeout proxy upload-file cookie-jar cert key cacert',
    'config dump-header range retry resolve oauth2-bearer form-string aws-sigv4 interface retry-delay',
    'retry-max-time limit-rate ciphers url-query max-redirs capath key-type cert-type pass',
  ].flatMap((names) => names.split(' ')),
)

/** The Windows command prompt continues a line with a caret, and browsers write one before every quotation mark for it. */
const promptQuoting = /^[^"']*\^"|\s\^\r?\n/

/** Reads what a curl line would send. Nothing is executed. */
export function parseCurl(line: string): CurlRequest {
  const command = line.replace(/^(\s*#.*\n)+/, '').trim()
  if (promptQuoting.test(command))
    throw new DocumentError(
      'This curl line is written for the Windows command prompt. Choose "Copy as cURL (bash)" in the browser.',
    )
  const words = splitShellWords(command.replace(/^\$\s+/, ''))
  if (words.shift() !== 'curl') throw new DocumentError('This is not a curl line: it must start with "curl".')
  const options: [name: string, value: string][] = []
  while (words.length > 0) options.push(...takeOption(words))

  refuseOtherLogins(options)
  const all = (name: string) => options.filter(([option]) => option === name).map(([, value]) => value)
  const has = (name: string) => options.some(([option]) => option === name)
  // The value of an option that is not known here looks like an address without a scheme.
  const address = all('url').find((word) => /^https?:\/\//i.test(word)) ?? all('url')[0] ?? ''
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`
  const { protocol } = URL.parse(withScheme) ?? {}
  if (address === '' || (protocol !== 'https:' && protocol !== 'http:'))
    throw new DocumentError('The curl line has no readable URL that begins with https:// or http://.')
  const url = new URL(withScheme)
  const userinfo = url.username ? `${decoded(url.username)}:${decoded(url.password)}` : null
  url.username = ''
  url.password = ''

  const headers = all('header').flatMap(splitHeader)
  const set = (name: string, value: string | undefined) => {
    if (value !== undefined && !headers.some(([known]) => known.toLowerCase() === name))
      headers.push([name, value])
  }
  set('user-agent', all('user-agent')[0])
  set('referer', all('referer')[0])
  // Without an equals sign it names a file.
  const cookies = all('cookie').filter((cookie) => cookie.includes('='))
  set('cookie', cookies.length > 0 ? cookies.join('; ') : undefined)
  const token = all('oauth2-bearer')[0]
  if (token !== undefined) set('authorization', `Bearer ${token}`)

  if (has('json')) {
    set('content-type', 'application/json')
    set('accept', 'application/json')
  }
  const data = curlData(options)
  const multipart = multipartFields(options)
  const sent = multipart.fields.length > 0 ? String(new URLSearchParams(multipart.fields)) : data.text
  const inQuery = [...(has('get') ? [sent ?? ''] : []), ...all('url-query').map(urlQuery)]
  url.search = [url.search.slice(1), ...inQuery].filter(Boolean).join('&')
  const body = has('get') ? null : sent
  const usual = () => {
    if (has('head')) return 'HEAD'
    if (has('get')) return 'GET'
    if (has('upload-file')) return 'PUT'
    return body !== null || data.hasFiles || multipart.isUsed ? 'POST' : 'GET'
  }
  return {
    method: all('request').at(-1)?.toUpperCase() ?? usual(),
    url,
    headers: multipart.isUsed ? headers.filter(([name]) => name.toLowerCase() !== 'content-type') : headers,
    user: all('user').at(-1) ?? userinfo,
    body,
    warnings: [
      ...warningsFor(has),
      ...(data.hasFiles ? ['Data from a file (@…) cannot be read; describe the inputs yourself.'] : []),
      ...(all('cookie').length > cookies.length ? ['Cookies from a file (-b) cannot be read.'] : []),
      ...multipartWarnings(multipart),
    ],
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (cause) {
    throw new DocumentError('The user name and password in the URL of the curl line cannot be read.', {
      cause,
    })
  }
}

function takeOption(words: string[]): [string, string][] {
  const word = words.shift() ?? ''
  if (word.startsWith('--')) {
    const [name = '', inline] = word.slice(2).split(/=(.*)/s)
    return [[name, withValue.has(name) ? (inline ?? words.shift() ?? '') : '']]
  }
  if (!word.startsWith('-') || word === '-') return [['url', word]]
  const found: [string, string][] = []
  for (let at = 1; at < word.length; at++) {
    const name = longNames[word[at] ?? ''] ?? word[at] ?? ''
    if (withValue.has(name)) {
      found.push([name, word.slice(at + 1) || (words.shift() ?? '')])
      break
    }
    found.push([name, ''])
  }
  return found
}

function splitHeader(text: string): [string, string][] {
  const at = text.indexOf(':')
  const [name, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  // With nothing after the colon, curl leaves the header out.
  return at <= 0 || value === '' ? [] : [[name, value]]
}

/** Ways to sign in that a tool does not know. To send the secret in another way would give away what is never meant to travel. */
const otherLogins: Record<string, string> = {
  'aws-sigv4': 'It signs each request with an AWS secret key, which Bellhop does not support.',
  digest: 'It proves the password without sending it, which Bellhop does not support.',
  ntlm: 'It signs in to Windows, which Bellhop does not support.',
  negotiate: 'It signs in with Kerberos, which Bellhop does not support.',
  cert: 'It presents a client certificate, which Bellhop does not support.',
  key: 'It presents a client certificate, which Bellhop does not support.',
}

function refuseOtherLogins(options: readonly [name: string, value: string][]): void {
  const login = options.find(([name]) => Object.hasOwn(otherLogins, name))?.[0]
  if (login === undefined) return
  throw new DocumentError(
    `The curl line uses --${login}, so it cannot be imported. ${otherLogins[login]} Use an API key or a token if the API offers one.`,
  )
}

function warningsFor(has: (name: string) => boolean): string[] {
  const warnings: string[] = []
  if (has('insecure') || has('k')) warnings.push('-k is ignored: certificates are always checked.')
  if (has('location') || has('L')) warnings.push('-L is ignored: redirects are never followed.')
  if (has('upload-file')) warnings.push('Files (-T) cannot be sent; the body was left out.')
  return warnings
}

function multipartWarnings({ fields, hasFiles }: ReturnType<typeof multipartFields>): string[] {
  const warnings: string[] = []
  if (hasFiles) warnings.push('Files (-F name=@…) cannot be sent; they were left out.')
  if (fields.length > 0) {
    warnings.push(
      'The fields of -F are sent as a urlencoded form, since multipart cannot be sent. Most APIs accept both; try it.',
    )
  }
  return warnings
}

/** The text fields that `-F name=text` and `--form-string name=text` send, and whether there are files, which begin with `@` or `<`. */
function multipartFields(options: readonly [option: string, value: string][]) {
  const fields: [name: string, text: string][] = []
  let hasFiles = false
  for (const [option, value] of options) {
    const [name = '', text = ''] = value.split(/=(.*)/s)
    if (option === 'form-string') fields.push([name, text])
    else if (option !== 'form') continue
    else if (/^[@<]/.test(text)) hasFiles = true
    else fields.push([name, withoutType(text)])
  }
  return { fields, hasFiles, isUsed: hasFiles || fields.length > 0 }
}

/** `red;type=text/x-colour` and `"red; green";type=text/x-colour` */
function withoutType(text: string): string {
  const bare = text.replace(/;\s*type=[^;]*$/i, '')
  return /^"(.*)"$/s.exec(bare)?.[1] ?? bare
}
