import { Button, FileButton, Group, SegmentedControl, Stack, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../api.ts'
import type { ImportPreview } from '../../../contract.ts'
import { useUrlChoice } from '../../../hooks/use-filter.ts'
import { Elapsed } from '../../../ui/feedback/elapsed.tsx'
import { ErrorAlert } from '../../../ui/feedback/error-alert.tsx'
import { fieldError } from '../../../ui/forms/field-errors.ts'

const sources = {
  openapi: {
    tab: 'OpenAPI',
    label: 'OpenAPI document',
    description: 'OpenAPI 2 or 3, as JSON or YAML. Paste it or drop a file here.',
    placeholder: 'openapi: 3.1.0\ninfo:\n  title: Shop\n…',
  },
  url: {
    tab: 'OpenAPI URL',
    label: 'URL of an OpenAPI document',
    description: 'Fetched by the server, from public addresses only.',
    placeholder: 'https://api.example.com/openapi.json',
  },
  curl: {
    tab: 'curl',
    label: 'curl command',
    description: 'As copied from API docs or your browser’s network tab.',
    placeholder: "curl 'https://api.example.com/v1/orders/A-1042' -H 'Authorization: Bearer …'",
  },
} as const

type Source = keyof typeof sources

type Props = {
  texts: Record<Source, string>
  onType: Record<Source, (text: string) => void>
  onRead: (preview: ImportPreview) => void
}

export function ImportSource({ texts, onType, onRead }: Props) {
  const [source, setSource] = useUrlChoice('from', ['openapi', 'url', 'curl'])
  const [missing, setMissing] = useState(false)
  const read = useMutation({
    mutationFn: (pasted: Partial<Record<Source, string>>) =>
      call<ImportPreview>('POST', '/connectors/import', pasted),
    onSuccess: onRead,
  })
  const { label, description, placeholder } = sources[source]
  const set = (text: string) => {
    onType[source](text)
    setMissing(false)
    read.reset()
  }
  const field = {
    label,
    description,
    placeholder,
    value: texts[source],
    error: missing ? 'Paste something to import.' : fieldError(read.error, source),
    onChange: (event: { currentTarget: { value: string } }) => set(event.currentTarget.value),
  }
  const preview = () => {
    const text = texts[source].trim()
    if (text === '') return setMissing(true)
    const actual = recognize(text) ?? source
    if (actual !== source) {
      onType[source]('')
      onType[actual](text)
      setSource(actual)
    }
    read.mutate({ [actual]: text })
  }
  const readFile = async (file: File | null | undefined) => {
    if (file) set(await file.text())
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        preview()
      }}
    >
      <Stack maw={860}>
        <SegmentedControl
          w="fit-content"
          aria-label="Import from"
          disabled={read.isPending}
          value={source}
          onChange={(value) => {
            setSource(value)
            read.reset()
          }}
          data={Object.entries(sources).map(([value, words]) => ({ value, label: words.tab }))}
        />
        {source === 'url' ? (
          <TextInput inputMode="url" {...field} />
        ) : (
          <Textarea
            autosize
            minRows={source === 'curl' ? 4 : 12}
            maxRows={24}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.78125rem' } }}
            spellCheck={false}
            {...field}
            // Otherwise the browser would navigate to the file.
            onDragOver={(event) => {
              if (event.dataTransfer.types.includes('Files')) event.preventDefault()
            }}
            onDrop={(event) => {
              const [file] = event.dataTransfer.files
              if (file) event.preventDefault()
              void readFile(file)
            }}
          />
        )}
        {read.error && <ErrorAlert error={read.error} of={texts} />}
        <Group>
          <Button type="submit" loading={read.isPending}>
            Preview
          </Button>
          {source === 'openapi' && (
            <FileButton accept=".json,.yaml,.yml,application/json" onChange={readFile}>
              {(props) => (
                <Button variant="default" {...props}>
                  Choose file
                </Button>
              )}
            </FileButton>
          )}
        </Group>
        {read.isPending && (
          <Elapsed
            since={read.submittedAt}
            doing="Reading"
            hint="A document of several megabytes can take a minute on a busy machine."
          />
        )}
      </Stack>
    </form>
  )
}

/** What was pasted under another tab, if it can be nothing else. */
function recognize(text: string): Source | null {
  if (/^curl\s/.test(text)) return 'curl'
  return /^https?:\/\/\S+$/.test(text) ? 'url' : null
}
