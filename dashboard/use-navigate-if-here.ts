import { useNavigate } from '@tanstack/react-router'
import { useIsHere } from './use-still-on-page.ts'

/** Opens the next page after an action, unless somebody has gone elsewhere meanwhile. */
export function useGoOn(): (to: string) => Promise<void> {
  const navigate = useNavigate()
  const isHere = useIsHere()
  return async (to) => {
    if (isHere()) await navigate({ to })
  }
}
