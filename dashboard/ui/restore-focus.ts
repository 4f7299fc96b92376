const mark = 'data-had-focus'

/**
 * Marks what has the focus, unless it is in something that opens over the page and closes again. A button that is busy for a
 * moment loses the focus and gets it back; if the element is gone, what it was in or else the page gets it, so that the next Tab
 * continues there.
 */
export function followFocus(page: () => HTMLElement | null): () => void {
  let last: HTMLElement | null = null
  let around: HTMLElement[] = []
  const follow = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement) || target.closest('[role=menu],[role=dialog]')) return
    document.querySelector(`[${mark}]`)?.removeAttribute(mark)
    target.setAttribute(mark, '')
    last = target
    around = surroundingsOf(target)
  }
  // A click outside everything means that the focus should be nowhere.
  const forget = () => {
    last = null
  }
  const mend = new MutationObserver(() => {
    if (last === null || document.activeElement !== document.body) return
    const heir = [last, ...around].find(({ isConnected }) => isConnected) ?? page()
    heir?.focus({ preventScroll: true })
  })
  document.addEventListener('focusin', follow)
  document.addEventListener('pointerdown', forget)
  mend.observe(document.body, { subtree: true, childList: true, attributeFilter: ['disabled'] })
  return () => {
    document.removeEventListener('focusin', follow)
    document.removeEventListener('pointerdown', forget)
    mend.disconnect()
  }
}

/** What can take the focus from a script, from the inside out. */
function surroundingsOf(element: HTMLElement): HTMLElement[] {
  const next = element.parentElement?.closest<HTMLElement>('[tabindex="-1"]')
  return next ? [next, ...surroundingsOf(next)] : []
}

/** A dialog opened from a menu cannot return the focus to an entry that is gone, so the menu's button gets it. */
export function restoreFocus(): void {
  if (document.activeElement === document.body) document.querySelector<HTMLElement>(`[${mark}]`)?.focus()
}
