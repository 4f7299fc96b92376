const mark = 'data-had-focus'

/**
 * Marks what has the focus, unless it is in something that opens over the page and closes again. A button that is busy for a
 * moment loses the focus and gets it back; if the element is gone, the card, or else whatever it was in and that is left, gets it,
 * so that the next Tab continues there.
 */
export function followFocus(page: () => HTMLElement | null): () => void {
  let last: HTMLElement | null = null
  let around: HTMLElement[] = []
  const follow = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement) || target.closest('[role=menu],[role=dialog]')) return
    document.querySelector(`[${mark}]`)?.removeAttribute(mark)
    target.setAttribute(mark, '')
    last = target
    around = surroundingsOf(target, page())
  }
  // A click outside everything means that the focus should be nowhere.
  const forget = () => {
    last = null
  }
  const mend = new MutationObserver(() => {
    if (last === null || document.activeElement !== document.body) return
    if (last.isConnected) last.focus({ preventScroll: true })
    else focusAsPlace(around.find(({ isConnected }) => isConnected) ?? page())
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

/** What of the page it is in, from the inside out; first what is meant to take the focus, such as a card. */
function surroundingsOf(element: HTMLElement, page: HTMLElement | null): HTMLElement[] {
  const all: HTMLElement[] = []
  if (!page?.contains(element)) return all
  for (let at = element.parentElement; at !== null && at !== page; at = at.parentElement) all.push(at)
  return [...all.filter((place) => place.matches('[tabindex="-1"]')), ...all]
}

/** A list or a form can take the focus only for as long as it has it. */
function focusAsPlace(place: HTMLElement | null): void {
  if (place === null) return
  if (!place.hasAttribute('tabindex')) {
    place.tabIndex = -1
    place.addEventListener('blur', () => place.removeAttribute('tabindex'), { once: true })
  }
  place.focus({ preventScroll: true })
}

/** A dialog opened from a menu cannot return the focus to an entry that is gone, so the menu's button gets it. */
export function restoreFocus(): void {
  if (document.activeElement === document.body) document.querySelector<HTMLElement>(`[${mark}]`)?.focus()
}
