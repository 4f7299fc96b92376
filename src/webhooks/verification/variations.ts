import { escapeNonAscii } from '../../platform/json/escape-non-ascii.ts'
import { Secret } from '../../platform/secret.ts'
import { algorithms, keyEncodings, signatureEncodings } from '../contract.ts'
import { checkJson } from '../ingress/body/check-json.ts'
import { isEquality, misplacedSecrets, type Variation } from './misplaced-secret.ts'
import { readHeader } from './read-header.ts'
import type { Delivery, Scheme } from './scheme.ts'

/** The most common mistakes between a sender and a webhook, likely ones first. */
export function* variations(
  schemes: readonly Scheme[],
  secrets: readonly Secret[],
  delivery: Delivery,
): Generator<Variation> {
  yield* secretVariations(secrets)
  yield* bodyVariations(delivery)
  yield* schemeVariations(schemes)
  yield* timeVariations(schemes, delivery)
  if (schemes.some((scheme) => scheme.template.includes('{url}'))) yield* urlVariations(delivery)
  if (schemes.some(isEquality)) yield* misplacedSecrets(schemes, secrets, delivery)
}

function* secretVariations(secrets: readonly Secret[]): Generator<Variation> {
  const changed = (change: (text: string) => string) =>
    secrets.map((secret) => new Secret(change(secret.reveal())))
  yield {
    finding:
      'The secret configured here has white space before or after it. Enter it again without the space or line break.',
    secrets: changed((text) => text.trim()),
  }
  for (const end of ['\n', '\r\n']) {
    yield {
      finding:
        'The sender signs with a line break at the end of its secret (it was probably read from a file). Remove the line break at the sender.',
      secrets: changed((text) => text + end),
    }
  }
  for (const quote of ['"', "'"]) {
    yield {
      finding:
        'The sender has the secret in quotation marks and treats them as part of it. Remove the quotation marks at the sender.',
      secrets: changed((text) => quote + text + quote),
    }
  }
  yield {
    finding: 'The secret was entered in quotation marks. Enter it again without them.',
    secrets: changed((text) => text.replace(/^(["'])(.*)\1$/, '$2')),
  }
  yield {
    finding:
      'The prefix of the secret is not part of the key that this sender uses. Enter it without whsec_.',
    secrets: changed((text) => text.replace(/^whsec_/, '')),
  }
  yield {
    finding: 'The secret is missing its prefix. Enter the whole secret, including whsec_.',
    secrets: changed((text) => `whsec_${text}`),
  }
}

function* bodyVariations(delivery: Delivery): Generator<Variation> {
  const text = Buffer.from(delivery.body).toString('utf8')
  const altered = 'The body was changed after it was signed: '
  const cure = ' Sign exactly the bytes that are sent.'
  const body = (changed: string): Delivery => ({ ...delivery, body: Buffer.from(changed, 'utf8') })

  yield {
    finding: `${altered}a line break was added at its end.${cure}`,
    delivery: body(text.replace(/\r?\n$/, '')),
  }
  yield { finding: `${altered}the line break at its end was lost.${cure}`, delivery: body(`${text}\n`) }
  yield {
    finding: `${altered}line breaks were converted to CR LF.${cure}`,
    delivery: body(text.replaceAll('\r\n', '\n')),
  }
  yield {
    finding: `${altered}CR LF line breaks were converted to LF.${cure}`,
    delivery: body(text.replaceAll(/\r?\n/g, '\r\n')),
  }
  yield {
    finding: `${altered}a byte order mark was added at its start.${cure}`,
    delivery: body(text.replace(/^\uFEFF/, '')),
  }
  yield { finding: 'The sender signed an empty body.', delivery: body('') }

  // Invalid or too deeply nested JSON cannot have been rewritten on its way either.
  if (!checkJson(delivery.body).ok) return
  const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
  const rewritten = `${altered}its JSON was reformatted (a proxy or the sender's own code parsed it).${cure}`
  for (const form of [JSON.stringify(value), JSON.stringify(value, null, 2), spaced(value)]) {
    yield { finding: rewritten, delivery: body(form) }
    yield { finding: rewritten, delivery: body(escapeNonAscii(form)) }
  }
}

/** `", "` and `": "` between the parts, as Python's standard library writes JSON. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}: ${spaced(inner)}`)
    .join(', ')}}`
}

function* schemeVariations(schemes: readonly Scheme[]): Generator<Variation> {
  const changed = (change: Partial<Scheme>) => schemes.map((scheme) => ({ ...scheme, ...change }))
  for (const encoding of signatureEncodings) {
    yield {
      finding: `The signature is correct, but encoded as ${encoding}. Use the generic scheme with encoding ${encoding}.`,
      schemes: changed({ encoding }),
    }
  }
  for (const keyEncoding of keyEncodings) {
    yield {
      finding: `The secret is correct, but the sender reads it as ${keyEncoding}. Use the generic scheme with key encoding ${keyEncoding}.`,
      schemes: changed({ keyEncoding }),
    }
  }
  yield {
    finding:
      'The sender uses the whole text of the secret as the key, including its prefix. Make the sender decode the part after the prefix, or use the generic scheme with key encoding utf-8.',
    schemes: changed({ keyEncoding: 'utf-8', keyPrefix: '' }),
  }
  yield {
    finding:
      'The sender signs with an empty secret. Check that the variable or setting that holds the secret is set at the sender.',
    schemes: schemes.filter((scheme) => !isEquality(scheme)),
    secrets: emptyKeys,
  }
  for (const algorithm of algorithms) {
    if (algorithm === 'equality' || algorithm === 'ed25519') continue
    yield {
      finding: `The sender signs with ${algorithm}. Use the generic scheme with that algorithm.`,
      schemes: changed({ algorithm }),
    }
  }
  for (const template of [
    '{body}',
    '{ts}.{body}',
    '{ts}:{body}',
    '{ts}{body}',
    '{body}{ts}',
    'v0:{ts}:{body}',
  ]) {
    yield {
      finding: `The sender signs ${template}. Use the generic scheme with that signed text.`,
      schemes: changed({ template }),
    }
  }
}

/** Keys of one zero byte, in each encoding: for an HMAC the same as no key at all. */
const emptyKeys = ['\0', 'AA==', '00'].map((text) => new Secret(text))

/** Grafana signs the time too once its header has a name there. */
function* timeVariations(schemes: readonly Scheme[], delivery: Delivery): Generator<Variation> {
  const names = delivery.rawHeaders.filter((name, index) => index % 2 === 0 && /time/i.test(name))
  for (const header of names.slice(0, 3)) {
    yield {
      finding: `The sender also signs the timestamp in the header ${header}. Enter ${header} as the timestamp header here.`,
      schemes: schemes
        .filter((scheme) => !scheme.timestamp)
        .map((scheme) => ({
          ...scheme,
          template: '{ts}:{body}',
          timestamp: { from: 'header', header, unit: 's' },
        })),
    }
  }
}

function* urlVariations(delivery: Delivery): Generator<Variation> {
  const url = URL.parse(delivery.url)
  if (!url) return
  const finding =
    'The sender signed a different URL than the public URL of Bellhop. Set PUBLIC_URL to the address that the sender calls.'
  const other = (change: (copy: URL) => void): Delivery => {
    const copy = new URL(url)
    change(copy)
    return { ...delivery, url: copy.href }
  }
  yield {
    finding,
    delivery: other((copy) => {
      copy.protocol = copy.protocol === 'https:' ? 'http:' : 'https:'
    }),
  }
  yield {
    finding,
    delivery: other((copy) => {
      copy.protocol = 'https:'
      copy.port = ''
    }),
  }
  yield {
    finding,
    delivery: other((copy) => {
      copy.search = ''
    }),
  }
  // By these names the sender, or the proxy before us, knows this server.
  for (const name of ['host', 'x-forwarded-host']) {
    const host = readHeader(delivery.rawHeaders, name)
    if (host.kind !== 'one') continue
    for (const protocol of ['https:', 'http:']) {
      const { pathname, search } = url
      yield { finding, delivery: { ...delivery, url: `${protocol}//${host.value}${pathname}${search}` } }
    }
  }
}
