import { lazy, Suspense } from 'react'

const Rendered = lazy(() => import('./rendered-markdown.tsx'))

/** Markdown of whoever wrote it: no HTML, no remote images, links that tell the other side nothing. */
export function Markdown({ text }: { text: string }) {
  return (
    // The room that it will take, about, and not its raw signs.
    <Suspense fallback={<div style={{ whiteSpace: 'pre-wrap', visibility: 'hidden' }}>{text}</div>}>
      <Rendered text={text} />
    </Suspense>
  )
}
