import { ActionIcon, Autocomplete, Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../api.ts'
import type { CallableTool, Case } from '../../../contract.ts'
import { useOne } from '../../../hooks/use-api.ts'
import { ErrorAlert } from '../../../ui/feedback/error-alert.tsx'
import { notify } from '../../../ui/feedback/notify.ts'
import { fieldErrors } from '../../../ui/forms/field-errors.ts'

type Check = Case['checks'][number]
type Kind = Check['must']
const kinds: { value: Kind; label: string }[] = [
  { value: 'call', label: 'Must call' },
  { value: 'notCall', label: 'Must not call' },
  { value: 'mention', label: 'Must mention' },
  { value: 'equal', label: 'Input must equal' },
  { value: 'notReply', label: 'No reply' },
]

/** A check as it is edited: each kind uses some of the fields, and a change of the kind keeps them. */
type Row = { id: string; must: Kind; tool: string; text: string; pointer: string; value: string }

type Props = {
  eventId: string
  /** What is changed; null for a new one. */
  of: Case | null
  /** Proposed for a new one. */
  name: string
  opened: boolean
  onClose: () => void
}

/** Keeps an event with checks, or changes the checks. */
export function CaseForm(props: Props) {
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      size="lg"
      title={props.of ? 'Change the case' : 'Keep as a case'}
    >
      <Fields {...props} />
    </Modal>
  )
}

function Fields({ eventId, of, name: proposed, onClose }: Props) {
  const queries = useQueryClient()
  const tools = useOne<{ items: CallableTool[] }>('/tools')
  const [name, setName] = useState(of?.name ?? proposed)
  const [rows, setRows] = useState<Row[]>(() => of?.checks.map(toRow) ?? [emptyRow()])
  const values = { name, checks: rows.map(toCheck) }
  const save = useMutation({
    mutationFn: () =>
      of
        ? call<Case>('PATCH', `/cases/${of.id}`, values)
        : call<Case>('POST', '/cases', { eventId, ...values }),
    onSuccess: async () => {
      notify(of ? 'Case changed' : 'Event kept as a case')
      await queries.invalidateQueries({
        predicate: ({ queryKey }) => String(queryKey[0]).startsWith('/cases'),
      })
      onClose()
    },
  })
  const errors = fieldErrors(save.error, values)
  const change = (id: string, patch: Partial<Row>) =>
    setRows(rows.map((row) => (row.id === id ? { ...row, ...patch } : row)))
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Stack>
        <TextInput
          label="Name"
          description="The event and its runs are kept as long as the case."
          value={name}
          error={errors.name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          data-autofocus
        />
        <Stack gap={8}>
          <Text size="sm" fw={500}>
            What the agent must do with this event
          </Text>
          {rows.map((row, at) => (
            <CheckRow
              key={row.id}
              row={row}
              tools={tools.data?.items.map((tool) => tool.name) ?? []}
              errors={errors}
              path={`checks.${at}`}
              onChange={(patch) => change(row.id, patch)}
              onRemove={rows.length > 1 ? () => setRows(rows.filter(({ id }) => id !== row.id)) : null}
            />
          ))}
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<IconPlus size="0.875rem" aria-hidden />}
            style={{ alignSelf: 'flex-start' }}
            onClick={() => setRows([...rows, emptyRow()])}
          >
            Add a check
          </Button>
        </Stack>
        {save.error && Object.keys(errors).length === 0 && <ErrorAlert error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            Save case
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

type RowProps = {
  row: Row
  tools: string[]
  errors: Record<string, string>
  path: string
  onChange: (patch: Partial<Row>) => void
  onRemove: (() => void) | null
}

function CheckRow({ row, tools, errors, path, onChange, onRemove }: RowProps) {
  const { must } = row
  const error = (field: string) => errors[`${path}.${field}`]
  return (
    <Group gap={8} align="flex-start" wrap="nowrap">
      <Group gap={8} align="flex-start" style={{ flex: 1 }}>
        <Select
          aria-label="Check"
          w={150}
          data={kinds}
          allowDeselect={false}
          value={must}
          onChange={(value) => onChange({ must: (value ?? 'call') as Kind })} // one of the data
        />
        {(must === 'call' || must === 'notCall' || must === 'equal') && (
          <Autocomplete
            aria-label="Tool"
            placeholder="shop__refund"
            style={{ flex: '1 1 9rem' }}
            data={[...new Set(tools)]}
            limit={20}
            value={row.tool}
            error={error('tool')}
            onChange={(tool) => onChange({ tool })}
          />
        )}
        {must === 'mention' && (
          <TextInput
            aria-label="Text"
            placeholder="refunded"
            style={{ flex: '1 1 9rem' }}
            value={row.text}
            error={error('text')}
            onChange={({ currentTarget }) => onChange({ text: currentTarget.value })}
          />
        )}
        {must === 'equal' && (
          <>
            <TextInput
              aria-label="JSON pointer"
              placeholder="/amount"
              w={110}
              value={row.pointer}
              error={error('pointer')}
              onChange={({ currentTarget }) => onChange({ pointer: currentTarget.value })}
            />
            <TextInput
              aria-label="Value"
              placeholder="49"
              w={110}
              value={row.value}
              onChange={({ currentTarget }) => onChange({ value: currentTarget.value })}
            />
          </>
        )}
      </Group>
      {onRemove && (
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Remove this check" onClick={onRemove}>
          <IconX size="1rem" aria-hidden />
        </ActionIcon>
      )}
    </Group>
  )
}

function emptyRow(): Row {
  return { id: crypto.randomUUID(), must: 'call', tool: '', text: '', pointer: '', value: '' }
}

function toRow(check: Check): Row {
  const row = { ...emptyRow(), must: check.must }
  switch (check.must) {
    case 'call':
    case 'notCall':
      return { ...row, tool: check.tool }
    case 'mention':
      return { ...row, text: check.text }
    case 'equal':
      return { ...row, tool: check.tool, pointer: check.pointer, value: writeValue(check.value) }
    case 'notReply':
      return row
  }
}

function toCheck({ must, tool, text, pointer, value }: Row): Check {
  switch (must) {
    case 'call':
    case 'notCall':
      return { must, tool }
    case 'mention':
      return { must, text }
    case 'equal':
      return { must, tool, pointer, value: readValue(value) }
    case 'notReply':
      return { must }
  }
}

/** Text needs no quotation marks unless it looks like another JSON value. */
function writeValue(value: unknown): string {
  return typeof value === 'string' && readValue(value) === value ? value : JSON.stringify(value)
}

function readValue(text: string): Extract<Check, { must: 'equal' }>['value'] {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
