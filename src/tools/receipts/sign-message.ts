import { type KeyObject, sign } from 'node:crypto'

/** A covered component and its value (RFC 9421 §2), for example `['@method', 'POST']`. */
export type Component = readonly [name: string, value: string]
/** In the order in which they are written. Numbers are bare items, texts are quoted. */
export type SignatureParameters = Readonly<Record<string, string | number>>

/** RFC 9421 §2.5, for components without parameters of their own. */
export function signatureBase(components: readonly Component[], parameters: string): string {
  const lines = components.map(([name, value]) => `"${name}": ${value}`)
  return [...lines, `"@signature-params": ${parameters}`].join('\n')
}

/** RFC 9421 §4: the two headers of one signature. */
export function signMessage(
  components: readonly Component[],
  given: SignatureParameters,
  privateKey: KeyObject,
  label: string,
): { 'Signature-Input': string; Signature: string } {
  const names = components.map(([name]) => `"${name}"`).join(' ')
  const parameters = Object.entries(given).map(
    ([name, value]) => `;${name}=${typeof value === 'number' ? value : JSON.stringify(value)}`,
  )
  const input = `(${names})${parameters.join('')}`
  // Ed25519 has its hash inside: node wants none named.
  const signature = sign(null, Buffer.from(signatureBase(components, input)), privateKey)
  return {
    'Signature-Input': `${label}=${input}`,
    Signature: `${label}=:${signature.toString('base64')}:`,
  }
}
