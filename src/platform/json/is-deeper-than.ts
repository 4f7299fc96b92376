/** Found level by level: a recursion would fall over what it looks for. */
export function isDeeperThan(node: unknown, depth: number): boolean {
  let level: unknown[] = [node]
  for (let at = 0; at <= depth; at++) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
    if (level.length === 0) return false
  }
  return true
}
