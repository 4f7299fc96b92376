export type Name = {
  /** The page that the name leads to. */
  to?: string
  /** The reader's own. */
  isOwn?: boolean
}

type Node = {
  type: string
  tagName?: string
  value?: string
  properties?: Record<string, unknown>
  children?: Node[]
}

/** Names are not looked for in there. */
const closed = new Set(['a', 'code', 'pre'])

/** A plugin for `Markdown` that marks known names, such as `@Mia`, wherever they stand as words. */
export function markNames(names: ReadonlyMap<string, Name>) {
  const known = new Map([...names].map(([text, name]) => [text.toLowerCase(), name]))
  // The longest first: somebody's name may begin with another one's.
  const longest = [...known.keys()].toSorted((a, b) => b.length - a.length)
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}_@#/.-])(${longest.map(quote).join('|')})(?![\\p{L}\\p{N}_-])`,
    'giu',
  )
  const split = (text: string): Node[] =>
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
    })
  const visit = (node: Node): void => {
    if (!node.children || closed.has(node.tagName ?? '')) return
    for (const child of node.children) visit(child)
    node.children = node.children.flatMap((child) =>
      child.type === 'text' && child.value ? split(child.value) : [child],
    )
  }
  return () => visit
}

function quote(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
