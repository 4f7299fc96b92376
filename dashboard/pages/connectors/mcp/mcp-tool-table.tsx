import { Text } from '@mantine/core'
import { call } from '../../../api.ts'
import type { McpTool } from '../../../contract.ts'
import { useBulk } from '../../../hooks/use-bulk.ts'
import { BulkButton } from '../../../ui/table/bulk-button.tsx'
import { type Column, DataTable } from '../../../ui/table/data-table.tsx'
import { useHasRole } from '../../accounts/use-me.ts'
import { CapabilityBadge } from '../../tools/capability-badge.tsx'
import { capabilityOrder } from '../../tools/permission-labels.ts'
import { healthColumns, shareOfErrors } from '../tools/health-columns.tsx'
import type { Health } from '../tools/use-tool-health.ts'
import { capabilityOf, McpToolState } from './mcp-tool-card.tsx'

type Props = { connectorId: string; tools: McpTool[]; healthOf: Map<string, Health> }

/** Tools that wait for a decision come first, then those that fail. */
const attention: Record<McpTool['state'], number> = { quarantined: 4, new: 3, enabled: 1, off: 0, gone: -1 }

export function McpToolTable({ connectorId, tools, healthOf }: Props) {
  return (
    <DataTable
      label="Tools"
      rows={tools}
      stepwise
      columns={[...columns, ...healthColumns(healthOf)]}
      rowHref={(tool) => `/connectors/${connectorId}/tools/${tool.id}`}
      rowName={({ name }) => name}
      trouble={({ id, state }) => attention[state] + (shareOfErrors(healthOf.get(id)) ?? 0)}
      bulk={(rows, clear) => <BulkActions connectorId={connectorId} tools={rows} onDone={clear} />}
    />
  )
}

const columns: Column<McpTool>[] = [
  { name: 'Tool', grow: 'little', sort: ({ name }) => name, cell: ({ title, name }) => title ?? name },
  {
    name: 'State',
    sort: ({ state }) => -attention[state],
    cell: (tool) => <McpToolState tool={tool} />,
  },
  {
    name: 'Capability',
    sort: (tool) => capabilityOrder.indexOf(capabilityOf(tool)),
    cell: (tool) => <CapabilityBadge capability={capabilityOf(tool)} />,
  },
  {
    name: 'Description',
    grow: true,
    narrow: 'below',
    cell: ({ description }) => (
      <Text span size="sm" c="dimmed" dir="auto">
        {description}
      </Text>
    ),
  },
]

type BulkProps = { connectorId: string; tools: McpTool[]; onDone: () => void }

/** Changed tools are left out: somebody has to look at each difference first. */
function BulkActions({ connectorId, tools, onDone }: BulkProps) {
  const admin = useHasRole('admin')
  const path = `/connectors/${connectorId}`
  const options = { what: 'tool', changes: [path] }
  const enable = useBulk(
    // The hash of what was shown: if the tool changed in between, the server refuses.
    (tool: McpTool) =>
      call('PATCH', `${path}/tools/${tool.id}`, {
        state: 'enabled',
        hash: tool.hash,
        capability: capabilityOf(tool),
      }),
    { done: 'Enabled', ...options },
  )
  const disable = useBulk((tool: McpTool) => call('PATCH', `${path}/tools/${tool.id}`, { state: 'off' }), {
    done: 'Turned off',
    ...options,
  })
  const off = tools.filter(
    (tool) =>
      (tool.state === 'new' || tool.state === 'off') &&
      !tool.changed &&
      (admin || capabilityOf(tool) !== 'read'),
  )
  const on = tools.filter(({ state }) => state !== 'off' && state !== 'gone')
  return (
    <>
      <BulkButton verb="Enable" rows={off} action={enable} onDone={onDone} />
      <BulkButton verb="Turn off" rows={on} action={disable} onDone={onDone} />
    </>
  )
}
