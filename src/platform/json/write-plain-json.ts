/** What turns a text around, or cannot be seen: controls of direction, marks without a width, tags, C1. */
const unseen =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g

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
