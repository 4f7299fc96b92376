/** Keeps what is typed until the field that it is meant for is there; the function that comes back ends it and tells what. */
export function keepTyping(): () => string {
  let text = ''
  const keep = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key.length === 1) text += event.key
    else if (event.key === 'Backspace') text = text.slice(0, -1)
    else return
    // Not for what has the focus now.
    event.preventDefault()
    event.stopPropagation()
  }
  addEventListener('keydown', keep, true)
  return () => {
    removeEventListener('keydown', keep, true)
    return text
  }
}
