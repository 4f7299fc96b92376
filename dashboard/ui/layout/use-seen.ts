import { useRef } from 'react'

/**
 * Everything that the page has shown, in the order in which it first did: what arrives later is placed below, and what is gone
 * keeps its place, so that no other button comes under the pointer.
 */
export function useSeen<T extends { id: string }>(items: T[]): T[] {
  const seen = useRef(new Map<string, T>()).current
  for (const item of items) seen.set(item.id, item)
  return [...seen.values()]
}
