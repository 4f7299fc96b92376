import { Text } from '@mantine/core'
import { lazy, Suspense } from 'react'

const Rendered = lazy(() => import('./rendered-markdown.tsx'))

/** Markdown of whoever wrote it: no HTML, no remote images, links that tell the other side nothing. */
export function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<Text style={{ whiteSpace: 'pre-wrap' }}>{text}</Text>}>
      <Rendered text={text} />
    </Suspense>
  )
}
