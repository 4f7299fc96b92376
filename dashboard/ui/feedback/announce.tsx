import { VisuallyHidden } from '@mantine/core'

const place = 'announced'

/** The live region for screen readers. It is part of the frame, so that it exists before anything is announced. */
export function Announced() {
  return <VisuallyHidden id={place} role="status" />
}

/** For what appears by itself: another page, the end of a run, a message. */
export function announce(words: string): void {
  const element = document.getElementById(place)
  if (element) element.textContent = words
}
