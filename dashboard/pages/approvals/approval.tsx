import { Code, Stack } from '@mantine/core'
import { BackTo } from '../../ui/back-to.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { useParam } from '../../use-filter.ts'
import { ApprovalCard } from './approval-card.tsx'
import { approvalHeadline } from './approval-text.ts'
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
          <Stack>
            <ApprovalCard approval={value} on="own-page" />
            <Facts
              of={{
                Digest: <Code>{value.digest}</Code>,
                'Applies to':
                  'Exactly this request and these versions of the tool and connector. Any change makes the approval void.',
              }}
            />
          </Stack>
        )}
      </QueryView>
    </Page>
  )
}
