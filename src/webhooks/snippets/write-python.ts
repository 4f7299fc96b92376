import { type Piece, type RequestPlan, secretMissing } from './plan-request.ts'

/** For Python 3.9 or later, without packages. JSON never contains three unescaped quotes in a row, so any body fits between them. */
export function writePython({ url, body, signature, timeUnit, needsId, headers }: RequestPlan): string {
  const hmac = typeof signature === 'object' ? signature : null
  const imports = [
    ...(hmac ? ['base64', 'hashlib', 'hmac'] : []),
    ...(timeUnit === 'iso' ? ['datetime'] : []),
    ...(signature === 'none' ? [] : ['os']),
    ...(timeUnit === 's' || timeUnit === 'ms' ? ['time'] : []),
    'urllib.error',
    'urllib.request',
    ...(needsId ? ['uuid'] : []),
  ]
  const sent = headers.map(([name, value]) => `    ${JSON.stringify(name)}: ${line(value)},\n`).join('')
  return [
    `import ${imports.join(', ')}\n\n`,
    signature === 'none' ? '' : readSecret,
    `url = ${JSON.stringify(url)}\n`,
    `body = r"""${body}\n""".encode()\n`,
    timeUnit ? `ts = ${time[timeUnit]}\n` : '',
    needsId ? 'id = "msg_" + uuid.uuid4().hex\n' : '',
    signature === 'secret' ? 'signature = secret\n' : '',
    hmac ? `key = ${key(hmac.keyEncoding, hmac.keyPrefix)}\n` : '',
    hmac ? `digest = hmac.new(key, ${signed(hmac.content)}, hashlib.${hmac.hash}).digest()\n` : '',
    hmac ? `signature = ${encode[hmac.encoding]}\n` : '',
    `request = urllib.request.Request(url, body, {\n${sent}})\n`,
    'try:\n    print(urllib.request.urlopen(request).read().decode())\n',
    'except urllib.error.HTTPError as refusal:\n    raise SystemExit(f"{refusal.code} {refusal.read().decode()}")\n',
  ].join('')
}

const readSecret = `secret = os.environ.get("WEBHOOK_SECRET")
if not secret:
    raise SystemExit("${secretMissing}")
`

const time = {
  s: 'str(int(time.time()))',
  ms: 'str(int(time.time() * 1000))',
  iso: 'datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")',
} as const

const encode = {
  hex: 'digest.hex()',
  'hex-upper': 'digest.hex().upper()',
  base64: 'base64.b64encode(digest).decode()',
  base64url: 'base64.urlsafe_b64encode(digest).decode().rstrip("=")',
} as const

function key(encoding: 'utf-8' | 'hex' | 'base64', prefix: string): string {
  const secret = `secret${prefix ? `.removeprefix("${prefix}")` : ''}`
  return {
    'utf-8': `${secret}.encode()`,
    hex: `bytes.fromhex(${secret})`,
    base64: `base64.b64decode(${secret})`,
  }[encoding]
}

/** As bytes, since the body is already encoded. */
function signed(content: readonly Piece[]): string {
  return content
    .map((piece) => ('value' in piece && piece.value === 'body' ? 'body' : `${line([piece])}.encode()`))
    .join(' + ')
}

function line(pieces: readonly Piece[]): string {
  return pieces.map((piece) => ('literal' in piece ? JSON.stringify(piece.literal) : piece.value)).join(' + ')
}
