import { Group, Stack, Text } from '@mantine/core'
import type { Capability, McpTool } from '../../../contract.ts'
import { LineDiff } from '../../../ui/code/line-diff.tsx'
import { indent, RawView } from '../../../ui/code/raw-view.tsx'
import { StatusBadge, type Tone } from '../../../ui/feedback/status-badge.tsx'
import { Card } from '../../../ui/layout/card.tsx'
import { Collapsible } from '../../../ui/layout/collapsible.tsx'
import { useHasRole } from '../../accounts/use-me.ts'
import { ToolApprovers } from '../../approvals/approvers/tool-approvers.tsx'
import { CapabilityBadge } from '../../tools/capability-badge.tsx'
import { TryTool } from '../tools/try-tool.tsx'
import { McpDecision } from './mcp-decision.tsx'
import { McpInputs } from './mcp-inputs.tsx'

/** Where a tool stands with the people who decide about it. */
const states: Record<McpTool['state'], { tone: Tone; word: string; sentence: string | null }> = {
  new: { tone: 'waiting', word: 'new', sentence: null },
  enabled: { tone: 'good', word: 'enabled', sentence: null },
  off: { tone: 'idle', word: 'off', sentence: 'Turned off. The agent does not see it.' },
  quarantined: {
    tone: 'bad',
    word: 'changed',
    sentence:
      'The server changed this tool after it was enabled. The agent cannot use it until someone reviews it.',
  },
  gone: { tone: 'idle', word: 'gone', sentence: 'The server no longer lists this tool.' },
}

export function McpToolState({ tool: { state } }: { tool: McpTool }) {
  const { tone, word } = states[state]
  return <StatusBadge tone={tone} word={word} />
}

/** What the server suggests, until a person has decided. */
export function capabilityOf(tool: McpTool): Capability {
  return tool.state === 'new' ? tool.suggestedCapability : tool.capability
}

/** One tool of an MCP server: as published, as pinned, and what a person decided. */
export function McpToolCard({ connectorId, tool }: { connectorId: string; tool: McpTool }) {
  const admin = useHasRole('admin')
  const { sentence } = states[tool.state]
  // Otherwise the capability is in the field beside the decision.
  const isChosen = tool.state !== 'gone' && (!tool.changed || admin)
  return (
    <Card label={tool.name}>
      <Stack gap={8}>
        <Group gap={8} justify="space-between" align="flex-start">
          <Group gap={8} mih={30}>
            <McpToolState tool={tool} />
            {!isChosen && <CapabilityBadge capability={capabilityOf(tool)} />}
            {tool.title && tool.title !== tool.name && (
              <Text size="xs" c="dimmed" ff="monospace">
                {tool.name}
              </Text>
            )}
          </Group>
          <McpDecision connectorId={connectorId} tool={tool} />
        </Group>
        <Text size="sm" dir="auto" style={{ overflowWrap: 'anywhere' }}>
          {tool.description}
        </Text>
        {sentence && (
          <Text size="xs" c="dimmed">
            {sentence}
          </Text>
        )}
        {tool.state === 'quarantined' && tool.pinned && (
          <LineDiff
            label={`What changed in ${tool.name}`}
            before={indent(tool.pinned) ?? tool.pinned}
            after={indent(tool.found) ?? tool.found}
          />
        )}
        <McpInputs schema={tool.inputSchema} />
        <Collapsible title="Definition from the server" summary={tool.hash.slice(0, 19)}>
          <RawView what="Tool" text={tool.found} json />
        </Collapsible>
        {tool.state === 'enabled' && (
          <Collapsible title="Try it">
            <TryTool tool={tool} />
          </Collapsible>
        )}
        {tool.state === 'enabled' && (
          <Collapsible title="Approvers">
            <ToolApprovers toolId={tool.id} />
          </Collapsible>
        )}
      </Stack>
    </Card>
  )
}
