import { isUtf8 } from 'node:buffer'
import { type Problem, problem } from '../../http/problems.ts'
import { readForm } from '../../platform/http-server/read-form.ts'
import { byte, endOfString } from '../../platform/json/scan-json.ts'
import { diagnoseDelivery } from '../verification/diagnose-delivery.ts'
import type { Delivery, Scheme } from '../verification/scheme.ts'
import { verifyDelivery } from '../verification/verify-delivery.ts'
import { answerHandshake, type HandshakeAnswer } from './answer-handshake.ts'
import { checkJson, maxDepth } from './body/check-json.ts'
import type { BodyKind } from './body/classify-content-type.ts'
import type { CachedWebhook } from './url-cache.ts'

/** `payload` is the JSON inside a form, if it came in one. */
export type ValidDelivery = { kind: 'valid'; payload: Buffer | null; verifiedBy: Scheme | null }

export type CheckResult =
  | ValidDelivery
  | { kind: 'handshake'; answer: HandshakeAnswer }
  /** The sender gets the problem; the operator reads `explain()`, if there is more to say. */
  | { kind: 'refused'; problem: Problem; explain?: () => string }

export type ReceivedDelivery = Delivery & {
  body: Buffer
  source: string
  contentType: string | null
  bodyKind: BodyKind
  now: Date
  isTest?: boolean
  /** Accepted without a signature: an operator sends it, and only the sender could sign. */
  trusted?: boolean
}

/** All checks of a delivery that need no database, in the order of the contract. */
export function checkDelivery(webhook: CachedWebhook, received: ReceivedDelivery): CheckResult {
  const { verification } = webhook
  let verifiedBy: Scheme | null = null
  if (verification && !received.trusted) {
    const verdict = verifyDelivery(verification.schemes, verification.secrets, received, received.now)
    if (!verdict.verified) {
      const { reason } = verdict
      const { presetName: preset, schemes, secrets } = verification
      if (verification.hasLostSecrets) return { kind: 'refused', ...unverifiable }
      return {
        kind: 'refused',
        problem: problem(
          'verification-failed',
          'The signature or secret of this delivery is missing or wrong. The webhook’s page in the dashboard shows the reason.',
        ),
        explain: () =>
          diagnoseDelivery({ preset, schemes, secrets, delivery: received, reason, now: received.now }),
      }
    }
    verifiedBy = verdict.scheme
  }

  const read = readPayload(webhook, received)
  if (read.fault) return { kind: 'refused', problem: read.fault }

  const handshake = answerHandshake(
    verification?.preset.handshake,
    received.rawHeaders,
    read.payload ?? received.body,
  )
  if (handshake) return { kind: 'handshake', answer: handshake }

  return { kind: 'valid', payload: read.payload, verifiedBy }
}

/** It may be signed with the secret that is lost, so the sender should try again once somebody has entered it again. */
const unverifiable = {
  problem: problem(
    'unavailable',
    'Deliveries to this webhook cannot be verified at the moment. Retry later.',
    {
      headers: { 'retry-after': '60' },
    },
  ),
  explain: () =>
    'A secret of this webhook cannot be decrypted, because its encryption key is gone, so the delivery could not be verified. Enter the secret of the sender again under Verification.',
}

type PayloadRead = { fault: Problem; payload?: never } | { fault?: never; payload: Buffer | null }

/** Checks the JSON; takes it out of the form if the sender uses one. */
function readPayload(webhook: CachedWebhook, { body, bodyKind }: ReceivedDelivery): PayloadRead {
  if (bodyKind === 'json') {
    const fault = jsonFault(body)
    return fault ? { fault } : { payload: null }
  }
  if (body.length === 0 || !isUtf8(body)) {
    return {
      fault: problem('malformed-json', 'The form is empty or not UTF-8. Send the fields URL-encoded.'),
    }
  }
  const fields = readForm(body)
  if (fields === null) {
    return {
      fault: problem('malformed-json', 'The form has too many fields. Send application/json instead.'),
    }
  }
  const text = fields.find(([name]) => name === 'payload')?.[1] ?? null
  if (text === null && webhook.verification?.preset.form === 'fields') return { payload: null }
  if (text === null) {
    const isSlashCommand =
      webhook.verification?.presetName === 'slack' && fields.some(([name]) => name === 'command')
    return {
      fault: problem(
        'malformed-json',
        isSlashCommand
          ? 'Slack slash commands are not accepted here, because they contain no JSON. Send events of the Events API to this URL. To let people talk to the agent in Slack, connect Slack under Settings → Workspaces.'
          : 'The form has no "payload" field. Put the JSON there, or send application/json.',
      ),
    }
  }
  const payload = Buffer.from(text, 'utf8')
  const fault = jsonFault(payload)
  return fault ? { fault } : { payload }
}

function jsonFault(body: Buffer): Problem | null {
  const verdict = checkJson(body)
  if (verdict.ok) return null
  switch (verdict.fault) {
    case 'empty':
      return problem('malformed-json', 'The body is empty. Send a JSON value, for example null.')
    case 'not-utf8':
      return problem('malformed-json', 'The body is not UTF-8. Encode the JSON as UTF-8.')
    case 'too-deep':
      return problem('malformed-json', `The JSON is nested deeper than ${maxDepth} levels. Flatten it.`)
    case 'malformed':
      return problem('malformed-json', `The body is not valid JSON: ${explainMalformed(body, verdict.at)}.`)
    default:
      throw new Error(`Unhandled fault ${verdict satisfies never}`)
  }
}

/** Why the JSON cannot go on at this byte, in words for whoever wrote the sender. It never quotes the body. */
function explainMalformed(body: Uint8Array, at: number): string {
  const end = body[at] === byte.quote ? endOfString(body, at) : 0
  if (end < 0) return explainText(body, ~end)
  const current = String.fromCharCode(body[at] ?? 0)
  const before = body[lastBefore(body, at)]
  if (at >= body.length) return 'it ends before all objects and arrays are closed'
  if (current === '\0') return `byte ${at} is zero. It is probably UTF-16: encode it as UTF-8`
  if (current === "'") return `byte ${at} is a single quotation mark. Use double quotation marks`
  if (before === byte.comma && /[\]}]/.test(current))
    return `the comma before byte ${at} has no value after it. Remove it`
  if (before === byte.quote)
    return `byte ${at} follows the end of a string. Write a quotation mark inside a string as \\", and put commas between values`
  if (/[A-Za-z_$]/.test(current))
    return `byte ${at} starts a word without quotation marks. Only true, false, null and numbers are written without them`
  return `byte ${at} is unexpected. Check how the JSON is generated`
}

const escapes = new Map([
  ['\t', ['a tab', '\\t']],
  ['\n', ['a line break', '\\n']],
  ['\r', ['a line break', '\\r']],
])

/** Scripts often paste the output of a command between two quotation marks. */
function explainText(body: Uint8Array, at: number): string {
  if (at >= body.length) return 'it ends in the middle of a string'
  if (body[at] === byte.backslash)
    return `the backslash at byte ${at} does not start a valid escape sequence. Write a backslash inside a string as \\\\`
  const [name, written] = escapes.get(String.fromCharCode(body[at] ?? 0)) ?? ['a control character', '\\u00…']
  return `byte ${at} is ${name} inside a string. Write it as ${written}, as jq and JSON libraries do`
}

function lastBefore(body: Uint8Array, end: number): number {
  let at = end - 1
  while (at >= 0 && (body[at] ?? 0) <= 0x20) at--
  return at
}
