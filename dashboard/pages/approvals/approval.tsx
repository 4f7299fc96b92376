import { BackTo } from '../../ui/back-to.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { useParam } from '../../use-filter.ts'
import { ApprovalCard } from './approval-card.tsx'
import { approvalHeadline } from './approval-text.ts'
import { Decide } from './decide.tsx'
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
          <ApprovalCard approval={value}>
            <Decide approval={value} keys />
          </ApprovalCard>
        )}
      </QueryView>
    </Page>
  )
}
