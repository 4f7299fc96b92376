import type { Webhook } from '../../contract.ts'

type Verification = NonNullable<Webhook['verification']>

type Snippet = { name: string; text: string }

const body = '{"event":"order.created","order":{"id":"A-1042","total":129.5}}'

/** Ready to paste. Where the sender must prove itself, the example does so too. */
export function snippets(url: string, verification: Verification | null): Snippet[] {
  const proof = proofOf(verification)
  return [
    { name: 'curl', text: curl(url, proof) },
    { name: 'Node', text: node(url, proof) },
    { name: 'Python', text: python(url, proof) },
    { name: 'GitHub Actions', text: githubActions(proof) },
  ]
}

type Proof =
  | { kind: 'none' }
  | { kind: 'header'; header: string }
  | { kind: 'hmac'; header: string; prefix: string }
  | { kind: 'other' }

function proofOf(verification: Verification | null): Proof {
  if (!verification) return { kind: 'none' }
  const header = verification.header ?? null
  switch (verification.preset) {
    case 'shared_secret':
      return { kind: 'header', header: header ?? 'X-Webhook-Secret' }
    case 'gitlab':
      return { kind: 'header', header: 'X-Gitlab-Token' }
    case 'github':
      return { kind: 'hmac', header: 'X-Hub-Signature-256', prefix: 'sha256=' }
    case 'jira':
    case 'bitbucket':
      return { kind: 'hmac', header: 'X-Hub-Signature', prefix: 'sha256=' }
    case 'sentry':
      return { kind: 'hmac', header: 'Sentry-Hook-Signature', prefix: '' }
    case 'grafana':
      return { kind: 'hmac', header: header ?? 'X-Grafana-Alerting-Signature', prefix: '' }
    default:
      return { kind: 'other' }
  }
}

const signsItself =
  '# This sender signs by itself: paste the URL into its settings.\n# "Send a test event" below sends one that is signed as configured.\n'

function curl(url: string, proof: Proof): string {
  const lines = [`curl '${url}'`, `-H 'Content-Type: application/json'`, `-d '${body}'`]
  if (proof.kind === 'header') lines.splice(2, 0, `-H "${proof.header}: $WEBHOOK_SECRET"`)
  if (proof.kind === 'other') return `${signsItself}${lines.join(' \\\n  ')}`
  if (proof.kind !== 'hmac') return lines.join(' \\\n  ')
  return [
    `BODY='${body}'`,
    `SIGNATURE=$(printf '%s' "$BODY" | openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" -r | cut -d' ' -f1)`,
    [
      `curl '${url}'`,
      `-H 'Content-Type: application/json'`,
      `-H "${proof.header}: ${proof.prefix}$SIGNATURE"`,
      `-d "$BODY"`,
    ].join(' \\\n  '),
  ].join('\n')
}

function node(url: string, proof: Proof): string {
  const extra =
    proof.kind === 'header'
      ? `    '${proof.header}': process.env.WEBHOOK_SECRET,\n`
      : proof.kind === 'hmac'
        ? `    '${proof.header}': '${proof.prefix}' + createHmac('sha256', process.env.WEBHOOK_SECRET).update(body).digest('hex'),\n`
        : ''
  return `${proof.kind === 'hmac' ? "import { createHmac } from 'node:crypto'\n\n" : ''}const body = JSON.stringify(${body})
const answer = await fetch('${url}', {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
${extra}  },
  body,
})
console.log(answer.status, await answer.text())`
}

function python(url: string, proof: Proof): string {
  const extra =
    proof.kind === 'header'
      ? `    "${proof.header}": os.environ["WEBHOOK_SECRET"],\n`
      : proof.kind === 'hmac'
        ? `    "${proof.header}": "${proof.prefix}" + hmac.new(os.environ["WEBHOOK_SECRET"].encode(), body, hashlib.sha256).hexdigest(),\n`
        : ''
  const imports =
    proof.kind === 'hmac' ? 'import hashlib, hmac, os, urllib.request' : 'import os, urllib.request'
  return `${imports}

body = b'${body}'
request = urllib.request.Request("${url}", data=body, headers={
    "Content-Type": "application/json",
${extra}})
print(urllib.request.urlopen(request).read().decode())`
}

function githubActions(proof: Proof): string {
  const call = curl('$WEBHOOK_URL', proof).replaceAll("'$WEBHOOK_URL'", '"$WEBHOOK_URL"')
  const secret = proof.kind === 'none' ? '' : `\n    WEBHOOK_SECRET: \${{ secrets.WEBHOOK_SECRET }}`
  return `- name: Ring Bellhop
  env:
    WEBHOOK_URL: \${{ secrets.WEBHOOK_URL }}${secret}
  run: |
${call
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}`
}
