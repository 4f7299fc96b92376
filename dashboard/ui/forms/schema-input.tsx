import { SegmentedControl, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { CodeEditor } from '../code/code-editor.tsx'
import { ErrorBoundary } from '../feedback/error-boundary.tsx'
import { Loading } from '../feedback/loading.tsx'
import { isJson } from '../text/is-json.ts'
import { parseExactly } from '../text/parse-exactly.ts'

const SchemaForm = lazy(() => import('./schema-form.tsx'))

type Draft = { mode: 'form' | 'json'; input: unknown; text: string }

/** An input of a tool while it is written, in fields or as JSON. */
export function useSchemaInput(begin: () => Draft) {
  const [draft, setDraft] = useState(begin)
  const { mode, input, text } = draft
  return {
    draft,
    setDraft,
    unfinished: mode === 'json' && !isJson(text),
    /** Throws while the text is unfinished. */
    read: (): unknown => (mode === 'json' ? parseExactly(text) : input),
  }
}

type Props = { of: ReturnType<typeof useSchemaInput>; schema: unknown; error: Error | null }

export function SchemaInput({ of: { draft, setDraft, unfinished, read }, schema, error }: Props) {
  const { mode, input, text } = draft
  return (
    <>
      <SegmentedControl
        size="xs"
        w={160}
        aria-label="Input mode"
        value={mode}
        onChange={(next) =>
          setDraft(
            next === 'json'
              ? { mode: 'json', input, text: JSON.stringify(input, null, 2) }
              : { mode: 'form', input: read(), text },
          )
        }
        data={[
          // The form could not keep half of a text.
          { value: 'form', label: 'Form', disabled: unfinished },
          { value: 'json', label: 'JSON' },
        ]}
      />
      {mode === 'form' ? (
        <ErrorBoundary
          fallback={<Text c="dimmed">This schema cannot be shown as a form. Use JSON instead.</Text>}
        >
          <Suspense fallback={<Loading rows={3} />}>
            <SchemaForm
              schema={schema}
              value={input}
              onChange={(next) => setDraft((last) => ({ ...last, input: next }))}
              error={error}
              below="input"
            />
          </Suspense>
        </ErrorBoundary>
      ) : (
        <CodeEditor
          label="Input"
          value={text}
          onChange={(next) => setDraft((last) => ({ ...last, text: next }))}
          minHeight={120}
          error={unfinished ? 'Invalid JSON' : null}
        />
      )}
    </>
  )
}
