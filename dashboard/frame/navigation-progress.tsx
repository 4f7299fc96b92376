import { useRouterState } from '@tanstack/react-router'
import classes from './navigation-progress.module.css'

/** Shows that a click was received while the next page is loading. */
export function NavigationProgress() {
  const isLoading = useRouterState({ select: (state) => state.isLoading })
  if (!isLoading) return null
  return <div className={classes.line} role="progressbar" aria-label="Loading page" />
}
