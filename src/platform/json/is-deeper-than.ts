/** JSON.parse accepts deeper nesting than JSON.stringify can write. */
export const writableDepth = 500

/** Level by level: a recursion would overflow the stack on what it looks for. */
export function isDeeperThan(node: unknown, depth: number): boolean {
  let level = isNested(node) ? [node] : []
  for (let at = 0; at <= depth; at++) {
    const inside = level.map((item) => Object.values(item))
    if (inside.every((values) => values.length === 0)) return false
    level = inside.flatMap((values) => values.filter(isNested))
  }
  return true
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
