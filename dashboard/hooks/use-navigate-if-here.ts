import { useNavigate } from '@tanstack/react-router'
import { useStillOnPage } from './use-still-on-page.ts'

/** Opens the next page after an action, unless somebody has gone elsewhere meanwhile. */
export function useNavigateIfHere(): (to: string) => Promise<void> {
  const navigate = useNavigate()
  const isStillOnPage = useStillOnPage()
  return async (to) => {
    if (isStillOnPage()) await navigate({ to })
  }
}
