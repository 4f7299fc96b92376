import { Anchor, Button, Code, Group, NativeSelect, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { Capability, NewTool } from '../../../contract.ts'
import type { DraftForm } from '../../../ui/forms/use-draft-form.ts'
import { type Column, DataTable } from '../../../ui/table/data-table.tsx'
import { useSort } from '../../../ui/table/use-sorted.ts'
import { MethodBadge } from '../../tools/method-badge.tsx'
import { capabilityOrder } from '../../tools/permission-labels.ts'
import { inputsOf } from '../tools/inputs-of.ts'
import { SearchableTools } from '../tools/searchable-tools.tsx'
import type { ImportValues } from './import-values.ts'

type Props = {
  form: DraftForm<ImportValues>
  tools: NewTool[]
  /** Names of those that seem only to ask for something although their method is POST. */
  onlyQueries: readonly string[]
  /** Only an admin may declare an operation without GET as `read`. */
  mayLoosen: boolean
}

type Row = NewTool & { id: string }

export function PickTools({ form, tools, onlyQueries, mayLoosen }: Props) {
  const [edited, setEdited] = useState<string | null>(null)
  // A row that is being changed keeps its place until an order is chosen again.
  const sort = useSort()
  const [sorted, setSorted] = useState({ sort, capabilities: form.values.capabilities })
  if (sorted.sort !== sort) setSorted({ sort, capabilities: form.values.capabilities })
  // As the person left them: what was changed is searched like the rest.
  const rows = tools.map((tool) => ({
    ...tool,
    id: tool.name,
    capability: form.values.capabilities[tool.name] ?? tool.capability,
    description: form.values.descriptions[tool.name] ?? tool.description,
  }))
  const setCapability = (name: string, capability: Capability) =>
    form.setFieldValue('capabilities', (all) => ({ ...all, [name]: capability }))
  const columns: Column<Row>[] = [
    {
      name: 'Operation',
      grow: 'little',
      whole: true,
      sort: ({ name }) => name,
      cell: ({ name, method, path }) => (
        <>
          {name}
          <Group gap={6} component="span">
            <MethodBadge method={method} />
            <Code fz={12}>{path}</Code>
          </Group>
        </>
      ),
    },
    {
      name: 'Description',
      grow: true,
      whole: true,
      narrow: 'below',
      cell: (tool) => (
        <>
          {edited === tool.name ? (
            <Textarea
              size="xs"
              aria-label={`Description of ${tool.name}`}
              autosize
              autoFocus
              value={tool.description}
              onChange={({ currentTarget: { value } }) =>
                form.setFieldValue('descriptions', (all) => ({ ...all, [tool.name]: value }))
              }
              onBlur={() => setEdited(null)}
            />
          ) : (
            // Of an operation, a summary and a description, in paragraphs.
            <Text size="xs" c="dimmed" style={{ whiteSpace: 'pre-line' }}>
              {tool.description.replace(/\n{2,}/g, '\n')}{' '}
              <Anchor
                component="button"
                type="button"
                size="xs"
                aria-label={`Edit description of ${tool.name}`}
                onClick={() => setEdited(tool.name)}
              >
                Edit
              </Anchor>
            </Text>
          )}
          <Text size="xs" c="dimmed">
            Inputs: {inputsInWords(tool)}
          </Text>
          {isWeak(tool) && (
            <Text size="xs" c="var(--waiting)">
              Weak description: say what {tool.name} does and when to use it.
            </Text>
          )}
          {mayLoosen && onlyQueries.includes(tool.name) && tool.capability === 'write' && (
            <Button size="compact-xs" variant="subtle" onClick={() => setCapability(tool.name, 'read')}>
              Seems only to query: set {tool.name} to Read
            </Button>
          )}
        </>
      ),
    },
    {
      name: 'Capability',
      sort: ({ name, capability }) => capabilityOrder.indexOf(sorted.capabilities[name] ?? capability),
      cell: ({ name, method, capability }) => (
        <NativeSelect
          size="xs"
          w="7.5rem"
          aria-label={`Capability of ${name}`}
          value={capability}
          onChange={(event) => setCapability(name, event.currentTarget.value as Capability)} // as offered
          data={[
            { value: 'read', label: 'Read', disabled: !mayLoosen && method !== 'GET' && method !== 'HEAD' },
            { value: 'write', label: 'Write' },
            { value: 'destructive', label: 'Destructive' },
          ]}
        />
      ),
    },
  ]
  return (
    <Stack gap={8}>
      <Text size="xs" c="dimmed">
        Reads run without approval, writes need an admin’s approval, and destructive calls are confirmed in
        the channel. Change the capability where the method is misleading. An input with a star is required.
      </Text>
      {form.values.picked.length === 0 && (
        <Text size="sm">
          No tools are selected. Select those that the agent needs: an agent works better with few tools.
        </Text>
      )}
      <SearchableTools tools={rows} what="operations">
        {(found) => (
          <DataTable
            label="Tools"
            rows={found}
            columns={columns}
            stepwise
            // Escape in a field of a row must not empty the selection.
            keys={false}
            rowName={({ name }) => name}
            selection={[new Set(form.values.picked), (names) => form.setFieldValue('picked', [...names])]}
            bulk={() => `of ${tools.length}`}
          />
        )}
      </SearchableTools>
    </Stack>
  )
}

/** By name; a star marks those that each call needs. */
function inputsInWords({ inputSchema }: NewTool): string {
  const inputs = inputsOf(inputSchema).map(
    ({ name, kind, isRequired }) => `${name}${isRequired ? '*' : ''}${kind ? ` (${kind})` : ''}`,
  )
  return inputs.join(', ') || 'none'
}

/** The agent chooses tools by what their descriptions say: two words, or the path again, say nothing. */
function isWeak({ description, method, path }: NewTool): boolean {
  const words =
    description
      .replace(path, '')
      .replace(method, '')
      .match(/\p{L}+/gu) ?? []
  return words.length < 3
}
