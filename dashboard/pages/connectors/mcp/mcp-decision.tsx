import { Button, Group, Select, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../../api.ts'
import type { Capability, McpTool } from '../../../contract.ts'
import { useQuickChange } from '../../../hooks/use-quick-change.ts'
import { askToConfirm } from '../../../ui/feedback/ask-to-confirm.ts'
import { useDraftText } from '../../../ui/forms/use-draft-text.ts'
import { capitalize } from '../../../ui/text/capitalize.ts'
import { useHasRole } from '../../accounts/use-me.ts'
import { capabilityOrder } from '../../tools/permission-labels.ts'

type Decided = { state: 'enabled' | 'off'; hash?: string; capability?: Capability }

/** The decision about a tool of an MCP server. Only an admin may enable one for reading, or accept a changed one. */
export function McpDecision({ connectorId, tool }: { connectorId: string; tool: McpTool }) {
  const admin = useHasRole('admin')
  const queries = useQueryClient()
  const offered = capabilityOrder.filter((one) => admin || isForOperators(one, tool))
  const suggested = tool.state === 'new' && admin ? tool.suggestedCapability : tool.capability
  const [chosen, setChosen] = useDraftText(`capability:${tool.id}`)
  const capability = offered.find((one) => one === chosen) ?? suggested
  const save = (decided: Decided) => call('PATCH', `/connectors/${connectorId}/tools/${tool.id}`, decided)
  const refresh = () =>
    Promise.all(
      [`/connectors/${connectorId}`, `/tools/${tool.id}/revisions`].map((path) =>
        queries.invalidateQueries({ queryKey: [path] }),
      ),
    )
  const { requested, change } = useQuickChange({ id: tool.id, save, refresh })
  const decide = (decided: Decided) => {
    setChosen('')
    change(decided, 'Tool saved')
  }
  // Accepting drops the former definition for good.
  const accept = (decided: Decided) =>
    askToConfirm({
      title: `Accept the new ${tool.name}?`,
      text: 'The agent can use the tool as the server describes it now. The former definition is no longer kept.',
      action: 'Accept change',
      cancel: 'Cancel',
      onConfirm: () => {
        setChosen('')
        change(decided, 'Change accepted')
      },
    })
  if (tool.state === 'gone') return null
  const mayEnable = admin || (!tool.changed && offered.includes(capability))
  const isOn = tool.state === 'enabled'
  return (
    <Group gap={8}>
      {!mayEnable && (
        <Text size="xs" c="dimmed">
          {tool.changed ? 'Only admins can accept the change.' : 'Only admins can enable it as read.'}
        </Text>
      )}
      {(!tool.changed || admin) && (
        <Select
          size="xs"
          w={150}
          aria-label={`Capability of ${tool.name}`}
          allowDeselect={false}
          value={capability}
          data={capabilityOrder.map((value) => ({
            value,
            label: capitalize(value),
            disabled: !offered.includes(value),
          }))}
          onChange={(value) => setChosen(value ?? '')}
        />
      )}
      {mayEnable && (!isOn || capability !== tool.capability) && (
        <Button
          size="xs"
          variant={tool.state === 'off' ? 'default' : 'light'}
          loading={requested?.state === 'enabled'}
          // The hash of what was shown: if the tool changed in between, the server refuses.
          onClick={() => {
            const decided: Decided = { state: 'enabled', hash: tool.hash, capability }
            if (tool.state === 'quarantined') accept(decided)
            else decide(decided)
          }}
        >
          {tool.state === 'quarantined' ? 'Accept change' : isOn ? 'Save' : 'Enable'}
        </Button>
      )}
      {tool.state !== 'off' && (
        <Button
          size="xs"
          variant="default"
          loading={requested?.state === 'off'}
          onClick={() => decide({ state: 'off' })}
        >
          {isOn ? 'Turn off' : 'Keep off'}
        </Button>
      )}
    </Group>
  )
}

function isForOperators(capability: Capability, tool: McpTool): boolean {
  return (
    capability !== 'read' && capabilityOrder.indexOf(capability) >= capabilityOrder.indexOf(tool.capability)
  )
}
