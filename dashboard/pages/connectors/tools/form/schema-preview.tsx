import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { lazy, Suspense, useState } from 'react'
import { ErrorBoundary } from '../../../../ui/feedback/error-boundary.tsx'
import { Loading } from '../../../../ui/feedback/loading.tsx'
import { objectProblem } from './tool-values.ts'

const SchemaForm = lazy(() => import('../../../../ui/forms/schema-form.tsx'))

/** The inputs as a form: a quick way to check whether the schema is right. */
export function SchemaPreview({ text }: { text: string }) {
  const [settled] = useDebouncedValue(text, 400)
  const [value, setValue] = useState<unknown>({})
  if (objectProblem(settled) !== null) return <Text c="dimmed">The schema is incomplete.</Text>
  return (
    <ErrorBoundary
      key={settled}
      fallback={<Text c="dimmed">This schema cannot be shown as a form. The agent can still use it.</Text>}
    >
      <Suspense fallback={<Loading rows={2} />}>
        <SchemaForm schema={JSON.parse(settled)} value={value} onChange={setValue} />
      </Suspense>
    </ErrorBoundary>
  )
}
