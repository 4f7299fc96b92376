import { Button, SegmentedControl } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useFilter, useUrlChoice } from '../../hooks/use-filter.ts'
import { Page } from '../../ui/layout/page.tsx'
import { SavedViews } from '../accounts/saved-views.tsx'
import { useHasRole } from '../accounts/use-me.ts'
import { ApprovalHistory } from './approval-history.tsx'
import classes from './approvals.module.css'
import { Triage } from './triage.tsx'

const policies = (
  <Button component={Link} to="/policies" size="xs" variant="default">
    Policies
  </Button>
)

export default function Approvals() {
  const operator = useHasRole('operator')
  const [show, setShow] = useUrlChoice('show', ['pending', 'history'])
  const [tool] = useFilter('tool')
  return (
    <Page title="Approvals" flush action={operator ? policies : null}>
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
          {show === 'history' && <SavedViews list="Decided approvals" />}
        </div>
        {show === 'pending' ? <Triage tool={tool} /> : <ApprovalHistory />}
      </div>
    </Page>
  )
}
