import { Box } from '@mantine/core'
import { useParam } from '../../hooks/use-filter.ts'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { BackTo } from '../../ui/layout/back-to.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { ApprovalCard } from './approval-card.tsx'
import { approvalHeadline } from './approval-text.ts'
import { Decide } from './decision/decide.tsx'
import { useApproval } from './use-approvals.ts'

export default function ApprovalPage() {
  const approval = useApproval(useParam('approvalId'))
  return (
    <Page
      title={approval.data ? approvalHeadline(approval.data) : 'Approval'}
      back={<BackTo to="/approvals" what="approvals" />}
    >
      <QueryView query={approval}>
        {(value) => (
          <Box maw={900}>
            <ApprovalCard approval={value}>
              <Decide approval={value} keys />
            </ApprovalCard>
          </Box>
        )}
      </QueryView>
    </Page>
  )
}
