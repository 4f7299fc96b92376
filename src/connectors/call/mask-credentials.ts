const mask = '[masked credential]'

/** A warning for the operator when something was masked. */
export const maskedWarning = 'The answer held a copy of the connector’s own credential, which is masked.'

/**
 * An answer must not show the connector's own credential to the model. `credentials` has the longest first, so that masking a
 * part does not leave the rest of a longer one.
 */
export function maskCredentials(text: string, credentials: readonly string[]): string {
  if (credentials.length === 0) return text
  const anyCopy = credentials.map((secret) => secret.replaceAll(/\\+|[^a-zA-Z0-9]/gu, spellings)).join('|')
  return text.replaceAll(new RegExp(anyCopy, 'gu'), mask)
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
    Array.from(Buffer.from(character), (byte) => `%${hexPattern(byte, 2)}`).join(''),
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
