import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

/** When older messages are inserted above, what is being read stays where it is. */
export function useScrollAnchor(box: RefObject<HTMLElement | null>, all: { id: string }[]): void {
  const fromEnd = useRef(0)
  const former = useRef<string | undefined>(undefined)
  const oldest = all[0]?.id
  useEffect(() => {
    const element = box.current
    const measure = () => {
      if (element) fromEnd.current = element.scrollHeight - element.scrollTop
    }
    element?.addEventListener('scroll', measure)
    return () => element?.removeEventListener('scroll', measure)
  }, [box])
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const before = former.current
    former.current = oldest
    if (before !== undefined && before !== oldest && all.some(({ id }) => id === before)) {
      element.scrollTop = element.scrollHeight - fromEnd.current
    }
    fromEnd.current = element.scrollHeight - element.scrollTop
  })
}

/** Whoever reads at the end follows what arrives. */
export function isAtEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
  return scrollHeight - scrollTop - clientHeight < 80
}
