import { invisibleCharacters } from '../invisible-characters.ts'

/** Equivalent JSON with every invisible character escaped, so that a reader sees what is there. */
export function writePlainJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(invisibleCharacters, (text) =>
    // Each half of a surrogate pair by itself, as JSON requires (RFC 8259 §7).
    Array.from({ length: text.length }, (_, at) => escaped(text.charCodeAt(at))).join(''),
  )
}

function escaped(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`
}
