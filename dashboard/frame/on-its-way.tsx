import { useRouterState } from '@tanstack/react-router'
import classes from './on-its-way.module.css'

/** A click is answered at once, also when the page that it leads to takes a moment to arrive. */
export function OnItsWay() {
  const isLoading = useRouterState({ select: (state) => state.isLoading })
  if (!isLoading) return null
  return <div className={classes.line} role="progressbar" aria-label="The page is on its way" />
}
