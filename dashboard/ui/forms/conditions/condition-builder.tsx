import { ActionIcon, Autocomplete, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import {
  type ConditionField,
  comparisons,
  readCondition,
  type Term,
  writeCondition,
} from './condition-terms.ts'

type Props = {
  /** The condition in CEL, as its own field has it. */
  value: string
  onChange: (cel: string) => void
  /** What can be compared; others can be typed. */
  fields: ConditionField[]
}

/** A condition for people who do not write CEL: what is chosen here is written as CEL, and simple CEL is read. */
export function ConditionBuilder({ value, onChange, fields }: Props) {
  // With those that are not finished, and so not in the condition yet.
  const [edited, setEdited] = useState<Term[]>([])
  const terms = writeCondition(edited, fields) === value ? edited : readCondition(value, fields)
  if (terms === null)
    return (
      <Text size="xs" c="dimmed">
        This condition is not a list of comparisons. Edit the text.
      </Text>
    )
  const set = (next: Term[]) => {
    setEdited(next)
    onChange(writeCondition(next, fields))
  }
  return (
    <Stack gap={6}>
      {terms.map((term, at) => {
        const change = (part: Partial<Term>) =>
          set(terms.map((one, other) => (other === at ? { ...one, ...part } : one)))
        const number = at + 1
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a comparison has no name; its place is what it is known by
          <Group key={at} gap={6} role="group" aria-label={`Comparison ${number}`}>
            <Autocomplete
              size="xs"
              aria-label="Field"
              placeholder={fields[0]?.path ?? 'Field'}
              data={fields.map(({ path }) => path)}
              maxDropdownHeight={280}
              flex="2 1 9rem"
              spellCheck={false}
              value={term.path}
              onChange={(path) => change({ path })}
            />
            <Select
              size="xs"
              aria-label="Comparison"
              data={comparisons}
              allowDeselect={false}
              maxDropdownHeight={340}
              w={112}
              value={term.op}
              onChange={(op) => op && change({ op })}
            />
            <TextInput
              size="xs"
              aria-label="Value"
              placeholder={term.op === 'in' ? 'one, another' : 'Value'}
              flex="1 1 6rem"
              value={term.value}
              onChange={(event) => change({ value: event.currentTarget.value })}
            />
            <ActionIcon
              aria-label={`Remove comparison ${number}`}
              onClick={() => set(terms.filter((_, other) => other !== at))}
            >
              <IconTrash size="1rem" aria-hidden />
            </ActionIcon>
          </Group>
        )
      })}
      <Button
        size="compact-xs"
        variant="subtle"
        w="fit-content"
        leftSection={<IconPlus size="0.875rem" aria-hidden />}
        onClick={() => set([...terms, { path: '', op: '==', value: '' }])}
      >
        {terms.length === 0 ? 'Build the condition' : 'Add comparison'}
      </Button>
    </Stack>
  )
}
