import { notifyManager, type QueryClient } from '@tanstack/react-query'

/** Nothing is sent twice by a double click, however fast the answer came, nor by a key held down. */
export function sendOnce(queries: QueryClient): void {
  // Makes a button busy before the next mouse or keyboard event.
  notifyManager.setScheduler(queueMicrotask)
  let hasSent = false
  queries.getMutationCache().subscribe(({ type }) => {
    if (type === 'added') hasSent = true
  })
  addEventListener(
    'click',
    (event) => {
      if (event.detail < 2) hasSent = false
      else if (hasSent && isOnButton(event)) ignore(event)
    },
    true,
  )
  addEventListener(
    'keydown',
    (event) => {
      if (event.repeat && event.key === 'Enter' && isOnButton(event)) ignore(event)
    },
    true,
  )
}

function isOnButton({ target }: Event): boolean {
  return target instanceof Element && target.closest('button') !== null
}

function ignore(event: Event): void {
  event.preventDefault()
  event.stopPropagation()
}
