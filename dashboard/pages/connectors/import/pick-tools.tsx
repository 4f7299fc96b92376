import {
  Anchor,
  Button,
  Checkbox,
  Code,
  Group,
  NativeSelect,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useState } from 'react'
import type { Capability, NewTool } from '../../../contract.ts'
import { MethodBadge } from '../../tools/method-badge.tsx'
import { inputsOf } from '../tools/inputs-of.ts'
import classes from './pick-tools.module.css'

type Props = {
  tools: NewTool[]
  /** Names of those that seem only to ask for something although their method is POST. */
  onlyQueries: readonly string[]
  picked: ReadonlySet<string>
  onPick: (picked: ReadonlySet<string>) => void
  capabilities: Record<string, Capability>
  onCapability: (name: string, capability: Capability) => void
  descriptions: Record<string, string>
  onDescription: (name: string, text: string) => void
  /** Only an admin may declare an operation without GET as `read`. */
  mayLoosen: boolean
}

const pageSize = 100

export function PickTools(props: Props) {
  const {
    tools,
    onlyQueries,
    picked,
    onPick,
    capabilities,
    onCapability,
    descriptions,
    onDescription,
    mayLoosen,
  } = props
  const [edited, setEdited] = useState<string | null>(null)
  const [search, setSearch] = useState('')
  const [limit, setLimit] = useState(pageSize)
  const wanted = search.trim().toLowerCase()
  const found = tools.filter(({ name, path, description }) =>
    `${name} ${path} ${description}`.toLowerCase().includes(wanted),
  )
  const toggle = (some: NewTool[], on: boolean) => {
    const names = new Set(some.map(({ name }) => name))
    onPick(on ? picked.union(names) : picked.difference(names))
  }
  return (
    <Stack gap={8}>
      <Group gap={8}>
        <TextInput
          size="xs"
          w={260}
          aria-label="Search operations"
          placeholder="Search operations"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          // Enter in the search field must not submit the form around it.
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.preventDefault()
          }}
        />
        <Button size="xs" variant="default" onClick={() => toggle(found, true)}>
          {wanted === '' ? 'Select all' : 'Select these'}
        </Button>
        <Button size="xs" variant="default" onClick={() => toggle(found, false)}>
          {wanted === '' ? 'Clear' : 'Clear these'}
        </Button>
        <Text size="xs" c="dimmed">
          {picked.size} of {tools.length} selected
        </Text>
      </Group>
      <Text size="xs" c="dimmed">
        Reads run without approval, writes need an admin’s approval, and destructive calls are confirmed in
        the channel. Change the capability where the method is misleading.
      </Text>
      <ul className={classes.list}>
        {found.slice(0, limit).map((tool) => (
          <li key={tool.name} className={classes.tool}>
            <Checkbox
              aria-label={`Select ${tool.name}`}
              checked={picked.has(tool.name)}
              onChange={(event) => toggle([tool], event.currentTarget.checked)}
            />
            <div className={classes.words}>
              <Group gap={8}>
                <Text fw={500}>{tool.name}</Text>
                <MethodBadge method={tool.method} />
                <Code fz={12}>{tool.path}</Code>
              </Group>
              {edited === tool.name ? (
                <Textarea
                  size="xs"
                  aria-label={`Description of ${tool.name}`}
                  autosize
                  autoFocus
                  value={descriptions[tool.name] ?? tool.description}
                  onChange={(event) => onDescription(tool.name, event.currentTarget.value)}
                  onBlur={() => setEdited(null)}
                />
              ) : (
                <Text size="xs" c="dimmed">
                  {descriptions[tool.name] ?? tool.description}{' '}
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
              {isWeak(descriptions[tool.name] ?? tool.description, tool) && (
                <Text size="xs" c="var(--waiting)">
                  Weak description: say what {tool.name} does and when to use it.
                </Text>
              )}
              <Text size="xs" c="dimmed">
                Inputs: {inputsInWords(tool)}
              </Text>
              {mayLoosen &&
                onlyQueries.includes(tool.name) &&
                (capabilities[tool.name] ?? tool.capability) === 'write' && (
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    w="fit-content"
                    onClick={() => onCapability(tool.name, 'read')}
                  >
                    Seems only to query: set {tool.name} to Read
                  </Button>
                )}
            </div>
            <NativeSelect
              size="xs"
              aria-label={`Capability of ${tool.name}`}
              value={capabilities[tool.name] ?? tool.capability}
              onChange={(event) => onCapability(tool.name, event.currentTarget.value as Capability)} // as offered
              data={[
                {
                  value: 'read',
                  label: 'Read',
                  disabled: !mayLoosen && tool.method !== 'GET' && tool.method !== 'HEAD',
                },
                { value: 'write', label: 'Write' },
                { value: 'destructive', label: 'Destructive' },
              ]}
            />
          </li>
        ))}
      </ul>
      {found.length > limit && (
        <Group justify="center">
          <Button size="xs" variant="default" onClick={() => setLimit(limit + pageSize)}>
            Show more
          </Button>
        </Group>
      )}
      {found.length === 0 && <Text c="dimmed">No matching operations</Text>}
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
function isWeak(description: string, { method, path }: NewTool): boolean {
  const words =
    description
      .replace(path, '')
      .replace(method, '')
      .match(/\p{L}+/gu) ?? []
  return words.length < 3
}
