import { invalidField } from '../../http/problems.ts'
import { Secret } from '../../platform/secret.ts'
import type { VerificationSettings } from '../contract.ts'
import { readKey } from './read-key.ts'
import { resolveSchemes } from './resolve-schemes.ts'

/** Refuses settings that would verify nothing, or less than they seem to. */
export function checkSettings(settings: VerificationSettings, secrets: readonly Secret[]): void {
  const schemes = resolveSchemes(settings)
  if (secrets.length === 0) {
    throw invalidField(
      '/verification/secrets',
      'Verification needs a secret. Enter the one that the sender uses.',
    )
  }
  for (const [index, secret] of secrets.entries()) {
    const isReadable = (one: Secret) => schemes.some((scheme) => readKey(scheme, one) !== null)
    if (isReadable(secret)) continue
    const bare = new Secret(secret.reveal().replaceAll(/^[\s"']+|[\s"']+$/g, ''))
    const why = isReadable(bare)
      ? ' because of the white space or quotation marks around it. Enter it without them'
      : ''
    throw invalidField(
      `/verification/secrets/${index}`,
      `This secret cannot be read as ${wanted(settings)}${why}.`,
    )
  }
  for (const scheme of settings.preset === 'generic' ? schemes : []) {
    if (scheme.algorithm === 'equality') continue
    if (!scheme.template.includes('{body}')) {
      throw invalidField(
        '/verification/template',
        'The signed text must contain {body}: otherwise anyone could change the body of a signed delivery.',
      )
    }
    const unknown = scheme.template.match(/\{(?!(?:body|ts|method|url|form|header:[^{}]+)\})[^{}]*\}?/)?.[0]
    if (unknown) {
      throw invalidField(
        '/verification/template',
        `${unknown} is not known. Use {body}, {ts}, {method}, {url}, {form} or {header:X-Name}.`,
      )
    }
    const signsTime = scheme.template.includes('{ts}')
    if (scheme.timestamp && scheme.timestamp.from !== 'body' && !signsTime) {
      throw invalidField(
        '/verification/template',
        'A timestamp is configured but not signed. Put {ts} where the sender puts the timestamp.',
      )
    }
    if (signsTime && !scheme.timestamp) {
      throw invalidField(
        '/verification/template',
        'The signed text contains {ts}, but neither timestampHeader nor timestampListKey says where the sender puts the timestamp.',
      )
    }
    if (scheme.timestamp?.from === 'list' && !scheme.list) {
      throw invalidField(
        '/verification/listKey',
        'A timestamp inside the header needs a list: set listKey too.',
      )
    }
  }
}

function wanted(settings: VerificationSettings): string {
  const scheme = resolveSchemes(settings)[0]
  if (scheme?.algorithm === 'ed25519') {
    return scheme.keyEncoding === 'hex'
      ? 'an ed25519 public key: 64 hex digits'
      : 'an ed25519 public key: 32 bytes in base64'
  }
  return scheme?.keyEncoding === 'hex' ? 'hex digits' : 'base64'
}
