const mask = '[masked credential]'

/** A warning for the operator when something was masked. */
export const maskedWarning = 'The answer held a copy of the connector’s own credential, which is masked.'

/** One expression for all parts of an answer: it has hundreds of alternatives, and to write it takes longer than to use it. */
const expressions = new WeakMap<readonly string[], RegExp>()

/**
 * An answer must not show the connector's own credential to the model. `credentials` has the longest first, so that masking a
 * part does not leave the rest of a longer one.
 */
export function maskCredentials(text: string, credentials: readonly string[]): string {
  if (credentials.length === 0 || text === '') return text
  const anyCopy = expressions.get(credentials) ?? copiesOf(credentials)
  expressions.set(credentials, anyCopy)
  return text.replaceAll(anyCopy, mask)
}

function copiesOf(credentials: readonly string[]): RegExp {
  const patterns = credentials.flatMap((secret) => [plainPattern(secret), ...codedPatterns(secret)])
  return new RegExp(patterns.join('|'), 'gu')
}

/** A URL may write any character in its own way, letters too. */
function plainPattern(secret: string): string {
  return secret.replaceAll(/\\+|[^a-zA-Z0-9]|[a-zA-Z0-9]/gu, (character) => {
    const code = character.charCodeAt(0)
    return /^[a-zA-Z0-9]$/.test(character) ? `(?:${character}|%${hexBytes[code]})` : spellings(character)
  })
}

/** The code of a shorter secret is also found in what has nothing to do with it. */
const minCodedBytes = 8

/** Hex, and Base64 in the three ways that depend on how many bytes stand before it. */
function codedPatterns(secret: string): string[] {
  const bytes = Buffer.from(secret)
  if (bytes.length < minCodedBytes) return []
  const hex = Array.from(bytes, (byte) => hexBytes[byte]).join('')
  return [hex, ...[0, 1, 2].map((before) => base64Pattern(bytes, before))]
}

/** Only the characters that no byte before or after the secret changes. */
function base64Pattern(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
  const own = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  return own.replaceAll('+', '(?:[-+]|%2[bB])').replaceAll('/', String.raw`(?:\\?\/|_|%2[fF])`)
}

const htmlNames: Readonly<Record<string, string>> = {
  '"': 'quot',
  '&': 'amp',
  "'": 'apos',
  '<': 'lt',
  '>': 'gt',
}

/** A pattern for the ways in which JSON, URLs and HTML write a character: each of their writers escapes other ones. */
function spellings(character: string): string {
  const { length } = character
  // A run of backslashes is plain or doubled as a whole: if each could be either, a match would be searched for in too many ways.
  if (character.startsWith('\\')) return `(?:\\\\{${length}}(?:\\\\{${length}})?|(?:%5[cC]){${length}})`
  const code = character.codePointAt(0) ?? 0
  const html = htmlNames[character]
  return `(?:${[
    `\\\\?\\u{${code.toString(16)}}`,
    `\\\\u${hexPattern(code, 4)}`,
    Array.from(Buffer.from(character), (byte) => `%${hexBytes[byte]}`).join(''),
    `&#0?${code};`,
    `&#[xX]${hexPattern(code, 2)};`,
    ...(html ? [`&${html};`] : []),
    ...(character === ' ' ? ['\\+'] : []),
  ].join('|')})`
}

function hexPattern(value: number, digits: number): string {
  const hex = value.toString(16).padStart(digits, '0')
  return hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}

const hexBytes: readonly string[] = Array.from({ length: 256 }, (_, byte) => hexPattern(byte, 2))
