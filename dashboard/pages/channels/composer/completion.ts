export type Trigger = { kind: '@' | '#' | ':'; query: string; from: number; to: number }
export type Option = { label: string; hint: string; insert: string }

const mostShown = 8

/** What is being named just before the caret; null if nothing is. */
export function findTrigger(text: string, caret: number): Trigger | null {
  const [, kind, query] = /(?:^|[\s(])([@#:])([\p{L}\p{N}_+.-]*)$/u.exec(text.slice(0, caret)) ?? []
  if (query === undefined || (kind !== '@' && kind !== '#' && kind !== ':')) return null
  // A time or a list is no emoji.
  if (kind === ':' && query.length < 2) return null
  return { kind, query, from: caret - query.length - 1, to: caret }
}

/** Those that begin with what was typed come first. */
export function filterOptions(options: Option[], query: string): Option[] {
  const wanted = query.toLowerCase()
  const wordsOf = ({ label }: Option) => label.toLowerCase().replace(/^[@#:]/, '')
  return options
    .filter((option) => wordsOf(option).includes(wanted))
    .toSorted((a, b) => Number(wordsOf(b).startsWith(wanted)) - Number(wordsOf(a).startsWith(wanted)))
    .slice(0, mostShown)
}

/** The text with the option in the place of what was typed, and where the caret is then. */
export function complete(text: string, { from, to }: Trigger, { insert }: Option) {
  const rest = text.slice(to)
  const before = `${text.slice(0, from)}${insert}${rest.startsWith(' ') ? '' : ' '}`
  return { text: before + rest, caret: before.length + (rest.startsWith(' ') ? 1 : 0) }
}

/** A name that was typed to its end, `:tada:`, becomes its character. */
export function replaceEmoji(
  text: string,
  caret: number,
  emojiOf: (name: string) => string | undefined,
): { text: string; caret: number } | null {
  const [typed, space, name = ''] = /(^|[\s(]):([a-z0-9_+-]+):$/.exec(text.slice(0, caret)) ?? []
  const character = emojiOf(name)
  if (typed === undefined || character === undefined) return null
  const before = text.slice(0, caret - typed.length) + space + character
  return { text: before + text.slice(caret), caret: before.length }
}
