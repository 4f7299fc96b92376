import { Input, Textarea } from '@mantine/core'
import { lazy, type ReactNode, Suspense, useId } from 'react'

const Editor = lazy(() => import('./code-mirror.tsx'))

type Props = {
  label: string
  description?: ReactNode
  error?: ReactNode
  value: string
  onChange: (value: string) => void
  language?: 'json' | 'text'
  minHeight?: number
  readOnly?: boolean
}

/** A text area that becomes a code editor as soon as that is loaded. */
export function CodeEditor(props: Props) {
  const { label, description, error, ...rest } = props
  const id = useId()
  const describedBy = [...(description ? [`${id}-description`] : []), ...(error ? [`${id}-error`] : [])].join(
    ' ',
  )
  const plain = (
    <Textarea
      aria-label={label}
      aria-describedby={describedBy}
      aria-invalid={Boolean(error)}
      autosize
      minRows={6}
      value={rest.value}
      onChange={(event) => rest.onChange(event.currentTarget.value)}
    />
  )
  return (
    <Input.Wrapper
      label={label}
      description={description}
      error={error}
      labelElement="div"
      descriptionProps={{ id: `${id}-description` }}
      errorProps={{ id: `${id}-error` }}
      data-wrong={error ? true : undefined}
    >
      <Suspense fallback={plain}>
        <Editor {...rest} label={label} describedBy={describedBy} invalid={Boolean(error)} />
      </Suspense>
    </Input.Wrapper>
  )
}
