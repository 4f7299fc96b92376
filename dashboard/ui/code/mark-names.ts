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

/** A plugin for `Markdown` that marks known names, such as `@Mia`, where the pattern finds them. Its one group is the name. */
export function markNames(names: ReadonlyMap<string, Name>, pattern: RegExp) {
  const known = new Map([...names].map(([text, name]) => [text.toLowerCase(), name]))
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
