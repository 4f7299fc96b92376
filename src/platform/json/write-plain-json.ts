import { unseen } from '../unseen.ts'

/** JSON that means the same, and in which a reader sees every character that is there. */
export function writePlainJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(unseen, (text) =>
    // Every part of a pair by itself, as JSON has it (RFC 8259 §7).
    Array.from({ length: text.length }, (_, at) => escaped(text.charCodeAt(at))).join(''),
  )
}

function escaped(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`
}
