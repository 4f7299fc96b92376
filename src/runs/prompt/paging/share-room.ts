/**
 * How much each may take at most so that all fit: what is small is placed whole, and the long ones share the rest evenly. Infinite if
 * all fit whole.
 */
export function shareRoom(sizes: readonly number[], room: number): number {
  let left = room
  const ascending = sizes.toSorted((a, b) => a - b)
  for (const [at, size] of ascending.entries()) {
    const share = left / (ascending.length - at)
    if (size > share) return Math.max(Math.floor(share), 0)
    left -= size
  }
  return Number.POSITIVE_INFINITY
}
