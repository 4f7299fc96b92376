import { useNavigate } from '@tanstack/react-router'
import { useStillOnPage } from './use-still-on-page.ts'

/** Opens the next page after an action, unless somebody has gone elsewhere meanwhile. */
export function useNavigateIfHere(): (to: string) => Promise<void> {
  const navigate = useNavigate()
  const isHere = useStillOnPage()
  return async (to) => {
    if (isHere()) await navigate({ to })
  }
}
