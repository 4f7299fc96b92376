import { type RefObject, useEffect, useState } from 'react'

/** Whether what is in the box is no wider than the box, whose side would have to be scrolled otherwise. */
export function useFits(box: RefObject<HTMLElement | null>): boolean {
  const [fits, setFits] = useState(false)
  useEffect(() => {
    const [outer, inner] = [box.current, box.current?.firstElementChild]
    if (!outer || !inner) return
    const observer = new ResizeObserver(() => setFits(inner.scrollWidth <= outer.clientWidth))
    for (const one of [outer, inner]) observer.observe(one)
    return () => observer.disconnect()
  }, [box])
  return fits
}
