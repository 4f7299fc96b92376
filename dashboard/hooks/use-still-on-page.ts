import { useEffect, useRef } from 'react'

/** Whether what asks is still shown: an answer that comes late must not take anybody away from another page. */
export function useStillOnPage(): () => boolean {
  const isStillOnPage = useRef(true)
  useEffect(() => {
    isStillOnPage.current = true
    return () => {
      isStillOnPage.current = false
    }
  }, [])
  return () => isStillOnPage.current
}
