import { useEffect, useRef } from 'react'

/** Whether what asks is still shown: an answer that comes late must not take anybody away from another page. */
export function useStillOnPage(): () => boolean {
  const isHere = useRef(true)
  useEffect(() => {
    isHere.current = true
    return () => {
      isHere.current = false
    }
  }, [])
  return () => isHere.current
}
