import { Code, SegmentedControl, Stack } from '@mantine/core'
import { IconChecklist } from '@tabler/icons-react'
import { toolLabel } from '../../../src/shared/tool-label.ts'
import type { Approval } from '../../contract.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListView } from '../../ui/list-view.tsx'
import { Page } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { useSeen } from '../../ui/use-seen.ts'
import { useUrlChoice } from '../../use-filter.ts'
import { ApprovalCard } from './approval-card.tsx'
import { ApprovalStatusBadge } from './approval-status.tsx'
import { approvalCause, approvalSummary } from './approval-text.ts'
import { useApproval, useApprovals } from './use-approvals.ts'

export default function Approvals() {
  const [show, setShow] = useUrlChoice('show', ['pending', 'all'])
  const history = show === 'all'
  const approvals = useApprovals(history ? undefined : 'pending')
  return (
    <Page title="Approvals" wide={history}>
      <Stack>
        <SegmentedControl
          w={220}
          size="xs"
          aria-label="Filter approvals"
          value={show}
          onChange={setShow}
          data={[
            { value: 'pending', label: 'Pending' },
            { value: 'all', label: 'History' },
          ]}
        />
        <ListView
          query={approvals}
          empty={
            <Empty
              icon={<IconChecklist size="1.75rem" stroke={1.5} aria-hidden />}
              purpose={history ? 'No approvals yet' : 'No pending approvals'}
              example="When the agent wants to change something, the exact request appears here for an admin to approve or deny."
            />
          }
        >
          {(items) => (history ? <History approvals={items} /> : <Waiting approvals={items} />)}
        </ListView>
      </Stack>
    </Page>
  )
}

function Waiting({ approvals }: { approvals: Approval[] }) {
  return (
    <Stack>
      {useSeen(approvals).map((approval) => (
        <SeenApproval key={approval.id} approval={approval} listed={approvals.includes(approval)} />
      ))}
    </Stack>
  )
}

/** Once it is no longer listed, it says what has become of it. */
function SeenApproval({ approval, listed }: { approval: Approval; listed: boolean }) {
  const { data: current = approval } = useApproval(listed ? null : approval.id)
  return <ApprovalCard approval={current} />
}

const columns: Column<Approval>[] = [
  { name: 'Tool', grow: true, cell: ({ tool }) => toolLabel(tool) },
  {
    name: 'Request',
    grow: true,
    narrow: 'below',
    cell: (approval) => <Code fz={12}>{approvalSummary(approval)}</Code>,
  },
  { name: 'State', cell: (approval) => <ApprovalStatusBadge status={approval.status} /> },
  { name: 'Triggered by', narrow: 'wide-only', cell: approvalCause },
  { name: 'Decided by', narrow: 'hide', cell: (approval) => approval.decidedBy?.name ?? '–' },
  {
    name: 'When',
    cell: (approval) => <RelativeTime at={approval.decidedAt ?? approval.createdAt} />,
  },
]

function History({ approvals }: { approvals: Approval[] }) {
  return (
    <DataTable
      label="Approvals"
      rows={approvals}
      columns={columns}
      rowHref={(approval) => `/approvals/${approval.id}`}
    />
  )
}
