import { Code } from '@mantine/core'
import { IconChecklist } from '@tabler/icons-react'
import { toolLabel } from '../../../src/shared/tool-label.ts'
import type { Approval } from '../../contract.ts'
import { Empty } from '../../ui/feedback/empty.tsx'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { formatDuration } from '../runs/format-duration.ts'
import { ApprovalStatusBadge } from './approval-status.tsx'
import { approvalCause, approvalSummary } from './approval-text.ts'
import classes from './approvals.module.css'
import { useApprovals } from './use-approvals.ts'

const columns: Column<Approval>[] = [
  { name: 'Tool', grow: 'little', cell: ({ tool }) => toolLabel(tool) },
  {
    name: 'Request',
    grow: true,
    narrow: 'below',
    cell: (approval) => <Code fz={12}>{approvalSummary(approval)}</Code>,
  },
  {
    name: 'State',
    cell: (approval) => <ApprovalStatusBadge status={approval.status} />,
  },
  { name: 'Triggered by', narrow: 'wide-only', cell: approvalCause },
  { name: 'Decided by', narrow: 'hide', cell: (approval) => approval.decidedBy?.name ?? '–' },
  { name: 'Requested', narrow: 'wide-only', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  { name: 'Decided', narrow: 'below', cell: ({ decidedAt }) => <RelativeTime at={decidedAt} none="–" /> },
  {
    name: 'Waited',
    numeric: true,
    narrow: 'hide',
    cell: ({ createdAt, decidedAt }) => (decidedAt ? formatDuration(createdAt, decidedAt) : '–'),
  },
]

/** What is no longer pending, the newest first. */
export function ApprovalHistory() {
  return (
    <div className={classes.other}>
      <ListView
        query={useApprovals('decided')}
        empty={
          <Empty
            icon={<IconChecklist size="1.75rem" stroke={1.5} aria-hidden />}
            purpose="No decisions yet"
            example="Every approved, denied, expired and void request is listed here."
          />
        }
      >
        {(items) => (
          <DataTable
            label="Decided approvals"
            rows={items}
            columns={columns}
            rowHref={({ id }) => `/approvals/${id}`}
          />
        )}
      </ListView>
    </div>
  )
}
