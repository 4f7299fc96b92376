import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../api.ts'
import type { OfferedPrompt } from '../../../contract.ts'
import { useOne } from '../../../hooks/use-api.ts'
import { ErrorAlert } from '../../../ui/feedback/error-alert.tsx'

type Props = { onInsert: (text: string) => void }

/** Prompts of connected MCP servers, to begin with. Absent where no server offers one. */
export function PromptSuggestions({ onInsert }: Props) {
  const { data } = useOne<{ items: OfferedPrompt[] }>('/prompts')
  const [chosen, setChosen] = useState<string | null>(null)
  const [given, setGiven] = useState<Record<string, string>>({})
  const prompt = data?.items.find((one) => keyOf(one) === chosen)
  const insert = useMutation({
    mutationFn: ({ connectorId, name }: OfferedPrompt) =>
      call<{ text: string }>('POST', `/connectors/${connectorId}/prompts/get`, { name, arguments: given }),
    onSuccess: ({ text }) => {
      onInsert(text)
      setChosen(null)
    },
  })
  if (!data || data.items.length === 0) return null
  return (
    <Stack gap={8}>
      <Select
        label="Prompt of a connected server"
        description="A text to begin with. Read it before you save: the words are the server’s."
        placeholder="Choose a prompt"
        clearable
        searchable
        value={chosen}
        onChange={(next) => {
          setChosen(next)
          setGiven({})
        }}
        data={data.items.map((one) => ({ value: keyOf(one), label: `${one.connectorName}: ${one.title}` }))}
      />
      {prompt && (
        <>
          {prompt.description && (
            <Text size="sm" c="dimmed">
              {prompt.description}
            </Text>
          )}
          {prompt.arguments.map(({ name, description, required }) => (
            <TextInput
              key={name}
              label={name}
              description={description}
              withAsterisk={required}
              value={given[name] ?? ''}
              onChange={({ currentTarget: { value } }) => setGiven((last) => ({ ...last, [name]: value }))}
            />
          ))}
          {insert.error && <ErrorAlert error={insert.error} />}
          <Group>
            <Button
              variant="default"
              loading={insert.isPending}
              disabled={prompt.arguments.some(({ name, required }) => required && !given[name])}
              onClick={() => insert.mutate(prompt)}
            >
              Insert prompt
            </Button>
          </Group>
        </>
      )}
    </Stack>
  )
}

function keyOf({ connectorId, name }: OfferedPrompt): string {
  return `${connectorId} ${name}`
}
