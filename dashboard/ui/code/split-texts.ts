export type Node = {
  type: string
  tagName?: string
  value?: string
  properties?: Record<string, unknown>
  children?: Node[]
}

/** Texts in there stay as they are. */
const closed = new Set(['a', 'code', 'pre'])

/** A plugin for `Markdown` that replaces each text. */
export function splitTexts(split: (text: string) => Node[]) {
  const visit = (node: Node): void => {
    if (!node.children || closed.has(node.tagName ?? '')) return
    for (const child of node.children) visit(child)
    node.children = node.children.flatMap((child) =>
      child.type === 'text' && child.value ? split(child.value) : [child],
    )
  }
  return () => visit
}
