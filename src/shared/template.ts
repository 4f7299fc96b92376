/** A text with JSON pointers in braces: `{/repository/full_name}#{/number}`. */
export type Template = readonly ({ text: string } | { pointer: string })[]

const pointerPattern = /^(\/([^~/]|~[01])*)+$/

/** Null if a brace is not closed, or does not hold an RFC 6901 pointer. */
export function parseTemplate(source: string): Template | null {
  const parts = source
    .split(/(\{[^{}]*\})/)
    .filter((part) => part !== '')
    .map((part) =>
      part.startsWith('{') && part.endsWith('}') ? { pointer: part.slice(1, -1) } : { text: part },
    )
  const isWrong = (part: Template[number]) =>
    'pointer' in part ? !pointerPattern.test(part.pointer) : /[{}]/.test(part.text)
  return parts.some(isWrong) ? null : parts
}

/** A pointer alone needs no braces. Null if it has none, or is not a template. */
export function parseKey(source: string): Template | null {
  if (pointerPattern.test(source) && !source.includes('{')) return [{ pointer: source }]
  const template = parseTemplate(source)
  return template?.some((part) => 'pointer' in part) ? template : null
}

export function pointersOf(template: Template): string[] {
  return template.flatMap((part) => ('pointer' in part ? [part.pointer] : []))
}

/** `textAt` gives the text for each pointer. */
export function fillTemplate(template: Template, textAt: (pointer: string) => string): string {
  return template.map((part) => ('pointer' in part ? textAt(part.pointer) : part.text)).join('')
}
