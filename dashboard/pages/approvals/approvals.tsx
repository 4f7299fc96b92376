import { Button, Group, SegmentedControl } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { toolLabel } from '../../../src/shared/tool-label.ts'
import type { Approval } from '../../contract.ts'
import { itemsOf } from '../../hooks/use-api.ts'
import { useFilter, useUrlChoice } from '../../hooks/use-filter.ts'
import { Page } from '../../ui/layout/page.tsx'
import { FilterChips } from '../../ui/table/filter-chips.tsx'
import { SavedViews } from '../accounts/saved-views.tsx'
import { useHasRole } from '../accounts/use-me.ts'
import { ApprovalHistory } from './approval-history.tsx'
import classes from './approvals.module.css'
import { Triage } from './triage.tsx'
import { useApprovals } from './use-approvals.ts'

const policies = (
  <Button component={Link} to="/policies" size="xs" variant="default">
    Policies
  </Button>
)

/** Tools with calls that can be compared. */
function severalOfOneTool(approvals: Approval[]) {
  return [...Map.groupBy(approvals, ({ tool }) => tool)]
    .filter(([, alike]) => alike.length > 1)
    .map(([tool, alike]) => ({ value: tool, label: `${toolLabel(tool)} ${alike.length}` }))
}

export default function Approvals() {
  const operator = useHasRole('operator')
  const [show, setShow] = useUrlChoice('show', ['pending', 'history'])
  const [tool, setTool] = useFilter('tool')
  const tools = severalOfOneTool(itemsOf(useApprovals('pending')))
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
          {show === 'pending' && tools.length > 0 && (
            <Group gap={8} fz="xs" c="dimmed">
              Several of one tool
              <FilterChips label="Several of one tool" value={tool} onChange={setTool} options={tools} />
            </Group>
          )}
          {show === 'history' && <SavedViews list="Decided approvals" />}
        </div>
        {show === 'pending' ? <Triage tool={tool} /> : <ApprovalHistory />}
      </div>
    </Page>
  )
}
