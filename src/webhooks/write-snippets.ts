import type { VerificationSettings } from './contract.ts'
import { presets } from './verification/presets.ts'
import { resolveSchemes } from './verification/resolve-schemes.ts'
import type { Scheme } from './verification/scheme.ts'

export type Snippet = { name: string; language: string; text: string }

const body = '{"event":"order.created","order":{"id":4711,"total":"49.90"}}'

/**
 * Ready code for a sender, in the way this webhook verifies. The secret is never in it: it comes from the sender's own
 * environment.
 */
export function writeSnippets(url: string, settings: VerificationSettings | null): Snippet[] {
  const scheme = (settings && resolveSchemes(settings)[0]) ?? null
  const bySender = scheme && cannotBeScripted(scheme)
  if (settings && bySender) {
    const text = `# ${presets[settings.preset].label} signs its deliveries itself: enter this URL there.\n${url}\n`
    return [{ name: 'Sender', language: 'bash', text }]
  }
  return [
    { name: 'curl', language: 'bash', text: curl(url, scheme) },
    { name: 'Node', language: 'javascript', text: node(url, scheme) },
    { name: 'Python', language: 'python', text: python(url, scheme) },
    { name: 'GitHub Actions', language: 'yaml', text: actions(scheme) },
  ]
}

/** A private key that only the sender has, a signed form, or a time inside the body. */
function cannotBeScripted({ algorithm, template, timestamp }: Scheme): boolean {
  return algorithm === 'ed25519' || template.includes('{form}') || timestamp?.from === 'body'
}

/** The sender's environment, not ours. */
const senderEnv = ['process', 'env'].join('.')

type Piece = { literal: string } | { field: string }

function pieces(template: string): Piece[] {
  return template
    .split(/\{(body|ts|method|url|header:[^{}]+)\}/)
    .map((piece, index) => (index % 2 === 0 ? { literal: piece } : { field: piece }))
    .filter((piece) => !('literal' in piece) || piece.literal !== '')
}

/** The header's value around the signature, in pieces. */
function headerPieces(scheme: Scheme): Piece[] {
  const { list, prefix = '', timestamp } = scheme
  const before = list ? `${list.key}${list.between}${prefix}` : prefix
  const time: Piece[] =
    list && timestamp?.from === 'list'
      ? [{ literal: `${timestamp.key}${list.between}` }, { field: 'ts' }, { literal: list.separator }]
      : []
  return [...time, { literal: before }, { field: 'signature' }].filter(
    (piece) => !('literal' in piece) || piece.literal !== '',
  )
}

function extraHeaders(scheme: Scheme): [string, Piece[]][] {
  const time: [string, Piece[]][] =
    scheme.timestamp?.from === 'header' ? [[scheme.timestamp.header, [{ field: 'ts' }]]] : []
  const signed = [...scheme.template.matchAll(/\{header:([^{}]+)\}/g)].map(
    ([, name = '']): [string, Piece[]] => [name, [{ field: 'id' }]],
  )
  return [...signed, ...time]
}

const hash = (scheme: Scheme) => scheme.algorithm.slice('hmac-'.length)

function curl(url: string, scheme: Scheme | null): string {
  const lines = [`WEBHOOK_URL='${url}'`, `BODY='${body}'`]
  const headers = ['-H "Content-Type: application/json"']
  if (scheme?.algorithm === 'equality') {
    headers.push(`-H "${scheme.header}: ${scheme.prefix ?? ''}$WEBHOOK_SECRET"`)
  } else if (scheme) {
    const shell = (piece: Piece) => ('literal' in piece ? piece.literal : `$${shellName(piece.field)}`)
    const line = (parts: Piece[]) => parts.map(shell).join('').replaceAll('"', '\\"')
    if (scheme.timestamp) lines.push(`TS=$(date ${shellTime[scheme.timestamp.unit]})`)
    if (/\{header:/.test(scheme.template)) lines.push('ID="msg_$(date +%s%N)"')
    lines.push(
      `SIGNATURE=$(printf '%s' "${line(pieces(scheme.template))}" \\`,
      `  | openssl dgst -${hash(scheme)} ${shellKey(scheme)} -binary | ${shellEncode[scheme.encoding]})`,
    )
    for (const [name, value] of extraHeaders(scheme)) headers.push(`-H "${name}: ${line(value)}"`)
    headers.push(`-H "${scheme.header}: ${line(headerPieces(scheme))}"`)
  }
  return `${lines.join('\n')}\ncurl "$WEBHOOK_URL" ${headers.join(' \\\n  ')} \\\n  --data-binary "$BODY"\n`
}

const shellTime = { s: '+%s', ms: '+%s%3N', iso: '-u +%Y-%m-%dT%H:%M:%SZ' } as const
const shellEncode = {
  hex: 'od -An -tx1 | tr -d " \\n"',
  'hex-upper': 'od -An -tx1 | tr -d " \\n" | tr a-f A-F',
  base64: 'base64 -w0',
  base64url: 'base64 -w0 | tr "+/" "-_" | tr -d "="',
} as const

function shellName(field: string): string {
  if (field.startsWith('header:')) return '{ID}'
  return (
    {
      body: '{BODY}',
      ts: '{TS}',
      url: '{WEBHOOK_URL}',
      signature: '{SIGNATURE}',
      id: '{ID}',
      method: '{METHOD:-POST}',
    }[field] ?? ''
  )
}

function shellKey(scheme: Scheme): string {
  const secret = scheme.keyPrefix ? `\${WEBHOOK_SECRET#${scheme.keyPrefix}}` : '$WEBHOOK_SECRET'
  if (scheme.keyEncoding === 'utf-8') return `-hmac "${secret}"`
  if (scheme.keyEncoding === 'hex') return `-mac HMAC -macopt "hexkey:${secret}"`
  return `-mac HMAC -macopt "hexkey:$(printf '%s' "${secret}" | base64 -d | od -An -tx1 | tr -d ' \\n')"`
}

function node(url: string, scheme: Scheme | null): string {
  const script = (piece: Piece) =>
    'literal' in piece
      ? JSON.stringify(piece.literal)
      : piece.field.startsWith('header:')
        ? 'id'
        : ({ method: "'POST'" }[piece.field] ?? piece.field)
  const line = (parts: Piece[]) => parts.map(script).join(' + ')
  const headers = ["'content-type': 'application/json'"]
  const lines = [`const url = '${url}'`, `const body = JSON.stringify(${body})`]
  if (scheme?.algorithm === 'equality') {
    headers.push(
      `'${scheme.header}': ${scheme.prefix ? `'${scheme.prefix}' + ` : ''}${senderEnv}.WEBHOOK_SECRET`,
    )
  } else if (scheme) {
    lines.unshift("import { createHmac } from 'node:crypto'", '')
    if (/\{header:/.test(scheme.template)) lines.push("const id = 'msg_' + crypto.randomUUID()")
    if (scheme.timestamp) lines.push(`const ts = ${nodeTime[scheme.timestamp.unit]}`)
    const strip = scheme.keyPrefix ? `.replace(/^${scheme.keyPrefix}/, '')` : ''
    const encoding = scheme.encoding === 'hex-upper' ? "'hex').toUpperCase(" : `'${scheme.encoding}'`
    lines.push(
      `const key = Buffer.from(${senderEnv}.WEBHOOK_SECRET${strip}, '${scheme.keyEncoding}')`,
      `const signature = createHmac('${hash(scheme)}', key).update(${line(pieces(scheme.template))}).digest(${encoding})`,
    )
    for (const [name, value] of extraHeaders(scheme)) headers.push(`'${name}': ${line(value)}`)
    headers.push(`'${scheme.header}': ${line(headerPieces(scheme))}`)
  }
  const sent = headers.map((header) => `    ${header},`).join('\n')
  return `${lines.join('\n')}\nconst answer = await ${'fetch'}(url, {\n  method: 'POST',\n  headers: {\n${sent}\n  },\n  body,\n})\nconsole.log(answer.status, await answer.text())\n`
}

const nodeTime = {
  s: 'String(Math.floor(Date.now() / 1000))',
  ms: 'String(Date.now())',
  iso: 'new Date().toISOString()',
} as const

function python(url: string, scheme: Scheme | null): string {
  const script = (piece: Piece) =>
    'literal' in piece
      ? JSON.stringify(piece.literal)
      : piece.field.startsWith('header:')
        ? 'id'
        : ({ method: '"POST"' }[piece.field] ?? piece.field)
  const line = (parts: Piece[]) => parts.map(script).join(' + ')
  const headers = ['"Content-Type": "application/json"']
  const imports = ['json', 'urllib.request']
  const lines = [`url = "${url}"`, `body = json.dumps(${body})`]
  if (scheme?.algorithm === 'equality') {
    imports.push('os')
    headers.push(
      `"${scheme.header}": ${scheme.prefix ? `"${scheme.prefix}" + ` : ''}os.environ["WEBHOOK_SECRET"]`,
    )
  } else if (scheme) {
    imports.push('base64', 'datetime', 'hashlib', 'hmac', 'os', 'time', 'uuid')
    if (/\{header:/.test(scheme.template)) lines.push('id = "msg_" + str(uuid.uuid4())')
    if (scheme.timestamp) lines.push(`ts = ${pythonTime[scheme.timestamp.unit]}`)
    const secret = `os.environ["WEBHOOK_SECRET"]${scheme.keyPrefix ? `.removeprefix("${scheme.keyPrefix}")` : ''}`
    lines.push(
      `key = ${{ 'utf-8': `${secret}.encode()`, hex: `bytes.fromhex(${secret})`, base64: `base64.b64decode(${secret})` }[scheme.keyEncoding]}`,
      `digest = hmac.new(key, (${line(pieces(scheme.template))}).encode(), hashlib.${hash(scheme)}).digest()`,
      `signature = ${pythonEncode[scheme.encoding]}`,
    )
    for (const [name, value] of extraHeaders(scheme)) headers.push(`"${name}": ${line(value)}`)
    headers.push(`"${scheme.header}": ${line(headerPieces(scheme))}`)
  }
  const sent = headers.map((header) => `    ${header},`).join('\n')
  return `import ${imports.sort().join(', ')}\n\n${lines.join('\n')}\nrequest = urllib.request.Request(url, body.encode(), {\n${sent}\n})\nprint(urllib.request.urlopen(request).read().decode())\n`
}

const pythonTime = {
  s: 'str(int(time.time()))',
  ms: 'str(int(time.time() * 1000))',
  iso: 'datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")',
} as const
const pythonEncode = {
  hex: 'digest.hex()',
  'hex-upper': 'digest.hex().upper()',
  base64: 'base64.b64encode(digest).decode()',
  base64url: 'base64.urlsafe_b64encode(digest).decode().rstrip("=")',
} as const

/** The same shell lines as a step; URL and secret come from the repository's secrets. */
function actions(scheme: Scheme | null): string {
  const script = curl('', scheme)
    .split('\n')
    .filter((line) => !line.startsWith('WEBHOOK_URL='))
    .map((line) => (line === '' ? '' : `          ${line}`))
    .join('\n')
  const secret = scheme ? `\n          WEBHOOK_SECRET: \${{ secrets.BELLHOP_WEBHOOK_SECRET }}` : ''
  return `on: push\njobs:\n  tell-bellhop:\n    runs-on: ubuntu-latest\n    steps:\n      - env:\n          WEBHOOK_URL: \${{ secrets.BELLHOP_WEBHOOK_URL }}${secret}\n        run: |\n${script}`
}
