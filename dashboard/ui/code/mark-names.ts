import { splitTexts } from './split-texts.ts'

export type Name = {
  /** The page that the name leads to. */
  to?: string
  /** The reader's own. */
  isOwn?: boolean
}

/** A plugin for `Markdown` that marks known names, such as `@Mia`, where the pattern finds them. Its one group is the name. */
export function markNames(names: ReadonlyMap<string, Name>, pattern: RegExp) {
  const known = new Map([...names].map(([text, name]) => [text.toLowerCase(), name]))
  return splitTexts((text) =>
    text.split(pattern).map((value, at) => {
      const part = { type: 'text', value }
      // Every second part is what the pattern found.
      if (at % 2 === 0) return part
      return {
        type: 'element',
        tagName: 'mark',
        properties: known.get(value.toLowerCase()) ?? {},
        children: [part],
      }
    }),
  )
}
