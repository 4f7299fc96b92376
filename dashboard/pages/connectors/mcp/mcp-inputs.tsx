import { Code, Text } from '@mantine/core'
import { type Column, DataTable } from '../../../ui/table/data-table.tsx'
import { inputsOf, type ToolInput } from '../tools/inputs-of.ts'

/** What the agent can say to the tool: whoever enables it should have seen that. */
export function McpInputs({ schema }: { schema: unknown }) {
  const inputs = inputsOf(schema)
  if (inputs.length === 0) return null
  return (
    <DataTable
      label="Inputs"
      rows={inputs.map((input) => ({ ...input, id: input.name }))}
      columns={columns}
    />
  )
}

const columns: Column<ToolInput & { id: string }>[] = [
  {
    name: 'Input',
    cell: ({ name, isRequired }) => (
      <>
        <Code fz={12}>{name}</Code> {isRequired ? '' : '(optional)'}
      </>
    ),
  },
  { name: 'Type', narrow: 'below', cell: ({ kind }) => kind },
  {
    name: 'About',
    grow: true,
    whole: true,
    narrow: 'below',
    cell: ({ about }) =>
      about && (
        <Text span size="sm" c="dimmed" dir="auto">
          {about}
        </Text>
      ),
  },
]
