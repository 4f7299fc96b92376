/** What a local reference (`#/$defs/order`) points to, or `undefined` (RFC 6901, as a URI fragment). */
export function resolvePointer(root: unknown, reference: string): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let node: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const key = decodePart(part)
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return undefined
    node = (node as Record<string, unknown>)[key] // It has the key, as was just asked.
  }
  return node
}

function decodePart(part: string): string {
  let text = part
  try {
    text = decodeURIComponent(part)
  } catch {
    // A stray percent sign stands for itself.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}
