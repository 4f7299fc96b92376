import { useDocumentTitle } from '@mantine/hooks'
import { useMatch } from '@tanstack/react-router'
import { createContext, type ReactNode, useContext, useEffect } from 'react'
import { createPortal } from 'react-dom'
import { announce } from '../feedback/announce.tsx'
import { rememberOpened } from './opened-pages.ts'
import classes from './page.module.css'

type Slots = {
  title: HTMLElement | null
  action: HTMLElement | null
  /** How much is new for the reader, for the browser's tab. */
  news: string | null
}

/** Where a page's title and main action are placed in the frame. */
export const PageSlots = createContext<Slots>({ title: null, action: null, news: null })

/** The id of the place for the action, in the frame. */
export const actionPlace = 'page-action'

type Props = {
  title: string
  /** The part of the page, for the browser's tab. */
  place?: string
  /** A link back to the list this page belongs to. */
  back?: ReactNode
  action?: ReactNode
  /** In front of the title. */
  picture?: ReactNode
  /** Forms and reading matter stay narrow; tables and chat take the whole width. */
  wide?: boolean
  /** No padding and as high as the window: the page scrolls its own content. */
  flush?: boolean
  children: ReactNode
}

export function Page({ title, picture, place, back, action, wide = false, flush = false, children }: Props) {
  const slots = useContext(PageSlots)
  const tabTitle = [place, title, 'Bellhop'].filter(Boolean).join(' · ')
  useDocumentTitle(slots.news ? `(${slots.news}) ${tabTitle}` : tabTitle)
  // Without this a screen reader does not notice that another page is shown, or that a run has ended.
  useEffect(() => announce(title), [title])
  const path = useMatch({ strict: false, select: ({ pathname }) => pathname })
  useEffect(() => rememberOpened(path, title), [path, title])
  return (
    <>
      {slots.title &&
        createPortal(
          <>
            {back}
            {picture}
            <h1
              className={classes.title}
              title={title}
              data-long={title.length > (back ? 8 : 16) || undefined}
              data-sentence={title.length > 26 || undefined}
            >
              {title}
            </h1>
          </>,
          slots.title,
        )}
      {slots.action && action && createPortal(action, slots.action)}
      <div className={flush ? classes.flush : wide ? classes.wide : classes.narrow}>{children}</div>
    </>
  )
}
