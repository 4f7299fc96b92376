import { VisuallyHidden } from '@mantine/core'

const place = 'announced'

/** Where things are said to those who do not see them appear. It stands in the frame, so it is there before anything is said. */
export function Announced() {
  return <VisuallyHidden id={place} role="status" />
}

/** For what comes by itself, or takes the place of what was there: another page, the end of a run, a message. */
export function announce(words: string): void {
  const element = document.getElementById(place)
  if (element) element.textContent = words
}
