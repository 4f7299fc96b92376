import { type Piece, type RequestPlan, secretMissing } from './plan-request.ts'

/** For bash, GNU or BSD. The body is a file: its bytes are signed and sent unchanged, including quotes and line ends. */
export function writeCurl(plan: RequestPlan): string {
  return `WEBHOOK_URL=${inQuotes(plan.url)}\n${writeShellSteps(plan)}`
}

/** The same without the URL, which a workflow has in its environment. */
export function writeShellSteps(plan: RequestPlan, curlOptions = ''): string {
  const headers = plan.headers.map(([name, value]) => `  -H "${quote(name)}: ${line(value)}" \\\n`)
  return [
    `cat > event.json <<'JSON'\n${plan.body}\nJSON\n`,
    plan.timeUnit ? `TS=$(date ${time[plan.timeUnit]}\n` : '',
    plan.needsId ? 'ID="msg_$(openssl rand -hex 16)"\n' : '',
    // One command up to the end: pasted into a terminal, it stops here as a whole, as a script does.
    plan.signature === 'none'
      ? ''
      : `${required('WEBHOOK_SECRET', secretMissing)}SIGNATURE=${signature(plan.signature)} &&\n`,
    `curl ${curlOptions}"$WEBHOOK_URL" \\\n${headers.join('')}  --data-binary @event.json\n`,
  ].join('')
}

/** Begins a command that is not run, with these words, if the variable is empty. */
export function required(variable: string, otherwise: string): string {
  return `: "\${${variable}:?${otherwise}}" &&\n`
}

const time = { s: '+%s)', ms: '+%s)000', iso: '-u +%Y-%m-%dT%H:%M:%SZ)' } as const

const encode = {
  hex: "od -An -tx1 | tr -d ' \\n'",
  'hex-upper': "od -An -tx1 | tr -d ' \\n' | tr a-f A-F",
  base64: 'openssl base64 -A',
  base64url: "openssl base64 -A | tr '+/' '-_' | tr -d '='",
} as const

function signature(of: Exclude<RequestPlan['signature'], 'none'>): string {
  if (of === 'secret') return '$WEBHOOK_SECRET'
  const secret = of.keyPrefix ? `\${WEBHOOK_SECRET#${of.keyPrefix}}` : '$WEBHOOK_SECRET'
  const key = {
    'utf-8': `-hmac "${secret}"`,
    hex: `-mac HMAC -macopt "hexkey:${secret}"`,
    base64: `-mac HMAC -macopt "hexkey:$(printf '%s' "${secret}" | openssl base64 -d -A | od -An -tx1 | tr -d ' \\n')"`,
  }[of.keyEncoding]
  return `$({ ${signed(of.content)} } \\\n  | openssl dgst -${of.hash} ${key} -binary | ${encode[of.encoding]})`
}

/** The parts one after another, including the file itself: no shell variable holds the body. */
function signed(content: readonly Piece[]): string {
  const commands: string[] = []
  let words: Piece[] = []
  const say = () => {
    if (words.length > 0) commands.push(`printf '%s' "${line(words)}";`)
    words = []
  }
  for (const piece of content) {
    if ('value' in piece && piece.value === 'body') {
      say()
      commands.push('cat event.json;')
    } else words.push(piece)
  }
  say()
  return commands.join(' ')
}

const variable = { body: '', ts: '{TS}', url: '{WEBHOOK_URL}', id: '{ID}', signature: '{SIGNATURE}' } as const

function line(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => ('literal' in piece ? quote(piece.literal) : `$${variable[piece.value]}`))
    .join('')
}

/** For use between double quotes. */
function quote(text: string): string {
  return text.replace(/[\\$`"]/g, '\\$&')
}

function inQuotes(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
