// A file of its own, since the content security policy allows no inline script. It runs before the first paint, so that dark mode
// does not start with a white flash.
;(() => {
  let chosen = 'auto'
  try {
    chosen = localStorage.getItem('mantine-color-scheme-value') ?? 'auto'
  } catch {
    // Storage can be disabled; then the system's scheme is used.
  }
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  const scheme = 'data-mantine-color-scheme'
  const root = document.documentElement
  root.setAttribute(scheme, dark ? 'dark' : 'light')
  // Paper is white.
  addEventListener('beforeprint', () => {
    const before = root.getAttribute(scheme) ?? 'light'
    root.setAttribute(scheme, 'light')
    addEventListener('afterprint', () => root.setAttribute(scheme, before), { once: true })
  })
})()
