import { Secret } from '../../platform/secret.ts'
import type { PresetName } from '../contract.ts'
import type { Variation } from './misplaced-secret.ts'
import { isEquality, misplacedSecrets } from './misplaced-secret.ts'
import { presets } from './presets.ts'
import { readHeader } from './read-header.ts'
import type { Reason } from './read-timestamp.ts'
import type { Delivery, Scheme } from './scheme.ts'
import { variations } from './variations.ts'
import { listedSignatures, verifyDelivery } from './verify-delivery.ts'

type RefusedDelivery = {
  preset: PresetName
  schemes: readonly Scheme[]
  secrets: readonly Secret[]
  delivery: Delivery
  reason: Reason
  now: Date
}

/** Some fifty variations hash the whole body again: beyond this size only what is visible without that is reported. */
const examinedBytes = 16 * 1024

/**
 * Explains to the operator why a delivery failed verification and what to do about it. It repeats the check with one thing
 * changed at a time; the change that makes it pass is the cause. Its text never contains a secret, a signature or part of the
 * body.
 */
export function diagnoseDelivery(refused: RefusedDelivery): string {
  const { reason } = refused
  switch (reason.code) {
    case 'header-missing':
      return otherPreset(refused) ?? misplaced(refused) ?? missingHeader(refused, reason.header)
    case 'signed-header-missing':
      return (
        otherPreset(refused) ??
        `The header ${reason.header} is missing, although it is signed together with the body. Check that the sender uses this name, and that no proxy removes the header.`
      )
    case 'header-duplicated':
      return `The header ${reason.header} was sent twice, so it cannot be trusted. Look for a proxy that adds it again.`
    case 'signature-malformed':
      if (refused.preset === 'shared_secret') return misplaced(refused) ?? otherBeginning(refused)
      return (
        otherPreset(refused) ??
        misplaced(refused) ??
        `The header ${reason.header} does not have the format of ${label(refused)}: ${form(refused)}. Check the preset and the sender's version.`
      )
    case 'timestamp-missing':
      return `The delivery has no timestamp, but ${label(refused)} always sends one: ${form(refused)}. Check the preset, and that no proxy rewrites the header or the body.`
    case 'timestamp-malformed':
      return 'The timestamp of the delivery cannot be read. Check that its unit (seconds, milliseconds or ISO) is the one that the sender uses.'
    case 'timestamp-outside-tolerance':
      return offTime(reason)
    case 'secret-unusable':
      return (
        findCause(refused, variations) ??
        'The secret that is configured here cannot be a key of this scheme. Copy it again from the sender, whole and with its prefix.'
      )
    case 'body-hash-mismatch':
      return `The signature is correct, but the body does not match ${reason.parameter} in the URL: something between the sender and Bellhop changed the body.`
    case 'signature-mismatch':
      return mismatch(refused)
    default:
      throw new Error(`Unhandled reason ${reason satisfies never}`)
  }
}

function mismatch(refused: RefusedDelivery): string {
  const cause = findCause(refused, variations) ?? (isExamined(refused) ? otherPreset(refused) : null)
  if (cause) return cause
  if (refused.schemes.some((scheme) => isEquality(scheme) && carries(refused.delivery, scheme)))
    return 'The secret in the header is not the one configured here. Enter the same secret at both ends.'
  if (refused.preset === 'stripe' && !refused.secrets.some((secret) => secret.reveal().startsWith('whsec_')))
    return 'A signing secret of Stripe begins with whsec_, and the one configured here does not. Copy it from the page of the destination (endpoint) in Stripe; an API key is something else.'
  const cut = wrongLength(refused)
  if (cut) return cut
  const untried = isExamined(refused)
    ? ''
    : ` The body is over ${examinedBytes / 1024} KiB, so the usual causes were not tried. Send a smaller delivery to learn more.`
  return `The signature has the right format, but was made with another secret, or the body was changed in transit. Enter the secret again at both ends; if the secret is the same, look for a proxy that rewrites bodies.${untried}`
}

const signatureBytes = { 'hmac-sha1': 20, 'hmac-sha256': 32, 'hmac-sha512': 64, ed25519: 64 }

/** Null if one of the signatures is as long as it must be, whatever it is made of. */
function wrongLength(refused: RefusedDelivery): string | null {
  const lengths = refused.schemes.flatMap((scheme) => {
    if (scheme.algorithm === 'equality') return []
    const { algorithm, encoding, header } = scheme
    const read = readHeader(refused.delivery.rawHeaders, header)
    const bytes = Buffer.alloc(signatureBytes[algorithm])
    const wanted = bytes.toString(encoding === 'hex-upper' ? 'hex' : encoding).length
    const listed = read.kind === 'one' ? listedSignatures(scheme, read.value) : []
    return listed.map(({ length }) => ({ header, length, wanted }))
  })
  const [first] = lengths
  if (!first || lengths.some(({ length, wanted }) => length === wanted)) return null
  return `The signature in ${first.header} has ${first.length} characters; one of ${label(refused)} has ${first.wanted}. Look for what makes it at the sender, and for a proxy that cuts headers.`
}

/** The finding of the first change that makes the check pass. */
function findCause(refused: RefusedDelivery, changes: typeof variations): string | null {
  if (!isExamined(refused)) return null
  for (const variation of changes(refused.schemes, refused.secrets, refused.delivery)) {
    if (passes(variation, refused)) return variation.finding
  }
  return null
}

function misplaced(refused: RefusedDelivery): string | null {
  return findCause(refused, misplacedSecrets)
}

function otherBeginning({ schemes: [scheme], delivery }: RefusedDelivery): string {
  const { header = '', prefix = '' } = scheme ?? {}
  const read = readHeader(delivery.rawHeaders, header)
  if (read.kind === 'one' && read.value === prefix.trim())
    return `The header ${header} has no secret after “${prefix}”. Check that the variable or setting that holds it is set at the sender.`
  return `The header ${header} does not begin with “${prefix}”, the text before the secret that is set here. Use the same text at both ends.`
}

function isExamined({ delivery }: RefusedDelivery): boolean {
  return delivery.body.length <= examinedBytes
}

/** An expired time counts as a pass: only the signature matters here. */
function passes(variation: Partial<Variation>, refused: RefusedDelivery): boolean {
  const verdict = verifyDelivery(
    variation.schemes ?? refused.schemes,
    variation.secrets ?? refused.secrets,
    variation.delivery ?? refused.delivery,
    refused.now,
  )
  return verdict.verified || verdict.reason.code === 'timestamp-outside-tolerance'
}

function otherPreset(refused: RefusedDelivery): string | null {
  const own = new Set(refused.schemes)
  const others = Object.values(presets).filter(
    (preset) => !preset.headerIsConfigurable && !preset.schemes.some((scheme) => own.has(scheme)),
  )
  const trimmed = refused.secrets.map((secret) => new Secret(secret.reveal().trim()))
  for (const preset of isExamined(refused) ? others : []) {
    if (passes({ schemes: preset.schemes, secrets: trimmed }, refused)) {
      return `The delivery is signed the way ${preset.label} does, and the secret is correct, but this webhook is set to ${label(refused)}. Change the verification to ${preset.label}.`
    }
  }
  const configured = new Set(refused.schemes.map((scheme) => scheme.header.toLowerCase()))
  const lookalike = others.find((preset) =>
    preset.schemes.some(
      (scheme) => !configured.has(scheme.header.toLowerCase()) && carries(refused.delivery, scheme),
    ),
  )
  if (!lookalike) return null
  return `The delivery looks like one from ${lookalike.label}, but this webhook is set to ${label(refused)}. Change the verification to ${lookalike.label}, or send to the URL that belongs to this sender.`
}

function carries(delivery: Delivery, scheme: Scheme): boolean {
  const read = readHeader(delivery.rawHeaders, scheme.header)
  return read.kind === 'one' && read.value.startsWith(scheme.prefix ?? '')
}

function missingHeader(refused: RefusedDelivery, header: string): string {
  const similar = refused.delivery.rawHeaders
    .filter((name, index) => index % 2 === 0 && /signature|hmac|secret|token/i.test(name))
    .filter((name) => name.toLowerCase() !== header.toLowerCase())
  const seen = similar.length > 0 ? ` The delivery has ${similar.slice(0, 5).join(', ')} instead.` : ''
  const does = refused.preset === 'shared_secret' ? 'sends it' : 'signs'
  return `The header ${header} is missing.${seen} Set the secret at the sender so that it ${does}, and check that no proxy removes the header.`
}

function offTime(reason: { offSeconds: number; toleranceSeconds: number }): string {
  const off = Math.abs(reason.offSeconds)
  const allowed = `${reason.toleranceSeconds} s are allowed`
  if (off > 1_000_000_000) {
    return `The signature is correct, but its timestamp is decades off (${allowed}): the sender probably uses milliseconds where seconds are configured, or the other way around.`
  }
  return reason.offSeconds < 0
    ? `The signature is correct, but it is ${off} s old (${allowed}). The delivery was delayed or sent again unchanged, or a clock is wrong: compare the sender's clock with this server's.`
    : `The signature is correct, but its timestamp is ${off} s in the future (${allowed}). A clock is wrong: compare the sender's clock with this server's.`
}

function label(refused: RefusedDelivery): string {
  return presets[refused.preset].label
}

function form(refused: RefusedDelivery): string {
  const scheme = refused.schemes[0]
  if (!scheme) return 'no form is configured'
  const signature = `${scheme.prefix ?? ''}<${scheme.encoding}>`
  const entry = scheme.list ? `${scheme.list.key}${scheme.list.between}${signature}` : signature
  const time =
    scheme.timestamp?.from === 'list' ? `${scheme.timestamp.key}${scheme.list?.between}<time>,` : ''
  return `${scheme.header}: ${time}${entry}`
}
