import { SegmentedControl } from '@mantine/core'
import { Page } from '../../ui/page.tsx'
import { useUrlChoice } from '../../use-filter.ts'
import { ApprovalHistory } from './approval-history.tsx'
import classes from './approvals.module.css'
import { Triage } from './triage.tsx'

export default function Approvals() {
  const [show, setShow] = useUrlChoice('show', ['pending', 'history'])
  return (
    <Page title="Approvals" flush>
      <div className={classes.page}>
        <div className={classes.bar}>
          <SegmentedControl
            w={220}
            size="xs"
            aria-label="Filter approvals"
            value={show}
            onChange={setShow}
            data={[
              { value: 'pending', label: 'Pending' },
              { value: 'history', label: 'History' },
            ]}
          />
        </div>
        {show === 'pending' ? <Triage /> : <ApprovalHistory />}
      </div>
    </Page>
  )
}
