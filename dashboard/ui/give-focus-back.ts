const mark = 'data-had-focus'

/** Marks what has the focus, unless it lies in something that opens over the page and goes away again. */
export function followFocus(): () => void {
  const follow = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement) || target.closest('[role=menu],[role=dialog]')) return
    document.querySelector(`[${mark}]`)?.removeAttribute(mark)
    target.setAttribute(mark, '')
  }
  document.addEventListener('focusin', follow)
  return () => document.removeEventListener('focusin', follow)
}

/** A dialog that was opened from a menu cannot return the focus to an entry that is gone: the menu's button gets it. */
export function giveFocusBack(): void {
  if (document.activeElement === document.body) document.querySelector<HTMLElement>(`[${mark}]`)?.focus()
}
