import { useRef } from 'react'

/** In the order in which the page first showed them: what arrives later is placed below, so that no button moves under the pointer. */
export function useSeenOrder<T extends { id: string }>(items: T[]): T[] {
  const places = useRef(new Map<string, number>()).current
  for (const { id } of items) if (!places.has(id)) places.set(id, places.size)
  return items.toSorted((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0))
}
