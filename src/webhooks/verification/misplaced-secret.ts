import { Secret } from '../../platform/secret.ts'
import type { Delivery, Scheme } from './scheme.ts'

/** One change to a failed check, and what it means if the check then passes. */
export type Variation = {
  finding: string
  schemes?: readonly Scheme[]
  secrets?: readonly Secret[]
  delivery?: Delivery
}

/** Longer text before a secret is not one word like Bearer. */
const longestBefore = 40
/** A shorter one may be the end of any header by chance. */
const shortestSecret = 8
/** What may be quoted: a word that names a kind of authorization, never part of a credential. */
const kindWord = /^[A-Za-z]{1,12}[ :=]{0,2}$/

/** The secret itself came, but in another header or after other text than the settings say. */
export function* misplacedSecrets(
  schemes: readonly Scheme[],
  secrets: readonly Secret[],
  delivery: Delivery,
): Generator<Variation> {
  const expected = schemes.filter(isEquality).map(({ header }) => header.toLowerCase())
  for (let at = 0; at + 1 < delivery.rawHeaders.length; at += 2) {
    const header = delivery.rawHeaders[at] ?? ''
    const value = delivery.rawHeaders[at + 1] ?? ''
    const isExpected = expected.includes(header.toLowerCase())
    for (const secret of secrets.map(trimmed)) {
      const { length } = secret.reveal()
      if (value.length < length) continue
      const prefix = value.slice(0, value.length - length)
      if (prefix.length > longestBefore || (length < shortestSecret && !isExpected)) continue
      yield {
        finding: isExpected ? inItsHeader(header, prefix) : inAnotherHeader(header, prefix),
        schemes: [equality(header, prefix)],
        secrets: [secret],
      }
    }
    yield* passwords(header, value, secrets, delivery)
  }
}

/** With HTTP basic authentication the header has the base64 of `user:password`. */
function* passwords(
  header: string,
  value: string,
  secrets: readonly Secret[],
  delivery: Delivery,
): Generator<Variation> {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(value)?.[1]
  if (encoded === undefined) return
  const pair = Buffer.from(encoded, 'base64').toString('latin1')
  const schemes = [equality(header, '')]
  const sent = (text: string): Delivery => ({ ...delivery, rawHeaders: [header, text] })
  for (const text of [pair, pair.slice(pair.indexOf(':') + 1)]) {
    yield {
      finding: `The sender sends the secret as the password of basic authentication. Choose a shared secret in the header ${header}, with “Basic ” as the text before it, and as the secret the output of: printf user:password | base64`,
      schemes,
      secrets,
      delivery: sent(text),
    }
  }
  const decoded = secrets.map((secret) =>
    trimmed(new Secret(Buffer.from(secret.reveal(), 'base64').toString())),
  )
  yield {
    finding:
      'The secret here is the base64 of user:password with a line break at its end. Make it with printf instead of echo.',
    schemes,
    secrets: decoded,
    delivery: sent(pair),
  }
}

function inItsHeader(header: string, before: string): string {
  if (before === '')
    return `The secret is correct, but the header ${header} has no text before it. Leave the text before the secret empty.`
  return kindWord.test(before)
    ? `The secret is correct, but the header ${header} has “${before}” before it. Enter exactly that, without the quotation marks, as the text before the secret.`
    : `The secret is correct, but the header ${header} has other text before it than is set here. Use the same text at both ends.`
}

function inAnotherHeader(header: string, before: string): string {
  const after = kindWord.test(before) ? `, after “${before}”` : before === '' ? '' : ', after other text'
  return `The secret itself was sent in the header ${header}${after}. Choose a shared secret in that header as verification${after === '' ? '' : ', with that text before it'}; or configure the sender to match this setting.`
}

function equality(header: string, prefix: string): Scheme {
  return { algorithm: 'equality', keyEncoding: 'utf-8', encoding: 'hex', template: '', header, prefix }
}

export function isEquality({ algorithm }: Scheme): boolean {
  return algorithm === 'equality'
}

function trimmed(secret: Secret): Secret {
  return new Secret(secret.reveal().trim())
}
