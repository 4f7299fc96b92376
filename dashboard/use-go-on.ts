import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

/** Opens the next page after an action, unless somebody has gone elsewhere meanwhile. */
export function useGoOn(): (to: string) => Promise<void> {
  const navigate = useNavigate()
  const isHere = useRef(true)
  useEffect(() => {
    isHere.current = true
    return () => {
      isHere.current = false
    }
  }, [])
  return async (to) => {
    if (isHere.current) await navigate({ to })
  }
}
