import { List, Text } from '@mantine/core'
import { toolLabel } from '../../../../src/shared/tool-label.ts'
import type { Run } from '../../../contract.ts'

type Found = { name: string; description: string }

/** What a search for tools answered: a line for each. Null for anything else. */
export function readFoundTools(tool: string, result: string | null): Found[] | null {
  if (tool !== 'find_tools' || result === null) return null
  return [...result.matchAll(/^(\w+__[\w-]+): (.*)$/gm)].map(([, name = '', description = '']) => ({
    name,
    description,
  }))
}

/** The tools that a search found, in its order; those that the run called are marked. */
export function FoundTools({ tools, run }: { tools: Found[]; run: Run }) {
  const called = new Set(run.toolCalls.map(({ tool }) => tool))
  if (tools.length === 0) return <Text size="sm">No tools were found.</Text>
  return (
    <List type="ordered" size="sm" spacing={6}>
      {tools.map(({ name, description }) => (
        <List.Item key={name}>
          <Text span fw={called.has(name) ? 600 : 400}>
            {toolLabel(name)}
            {called.has(name) && ' (called)'}
          </Text>
          <Text size="xs" c="dimmed">
            {description}
          </Text>
        </List.Item>
      ))}
    </List>
  )
}
