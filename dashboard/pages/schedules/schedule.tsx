import { Tabs } from '@mantine/core'
import { useParam, useUrlChoice } from '../../hooks/use-filter.ts'
import { notify } from '../../ui/feedback/notify.ts'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { BackTo } from '../../ui/layout/back-to.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Cases } from '../rehearsals/cases/cases.tsx'
import { History } from '../revisions/history.tsx'
import { ReachView } from '../tools/reach-view.tsx'
import { ScheduleActions } from './schedule-actions.tsx'
import { ScheduleForm } from './schedule-form.tsx'
import { ScheduleOverview } from './schedule-overview.tsx'
import { useSchedule } from './use-schedules.ts'

export default function SchedulePage() {
  const schedule = useSchedule(useParam('scheduleId'))
  const [tab, setTab] = useUrlChoice('tab', ['overview', 'settings', 'history', 'reach', 'cases'])
  return (
    <Page
      title={schedule.data?.name ?? 'Schedule'}
      back={<BackTo to="/schedules" what="schedules" />}
      action={schedule.data ? <ScheduleActions schedule={schedule.data} /> : null}
    >
      <QueryView query={schedule}>
        {(value) => (
          <Tabs value={tab} onChange={setTab} keepMounted={false}>
            <Tabs.List mb="lg" aria-label="Schedule sections">
              <Tabs.Tab value="overview">Overview</Tabs.Tab>
              <Tabs.Tab value="settings">Settings</Tabs.Tab>
              <Tabs.Tab value="reach">Reach</Tabs.Tab>
              <Tabs.Tab value="cases">Cases</Tabs.Tab>
              <Tabs.Tab value="history">History</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="overview">
              <ScheduleOverview schedule={value} />
            </Tabs.Panel>
            <Tabs.Panel value="history">
              <History path={`/schedules/${value.id}`} mayRestore shownIn={['/schedules']} />
            </Tabs.Panel>
            <Tabs.Panel value="reach">
              <ReachView path={`/schedules/${value.id}`} who="what this schedule reads" />
            </Tabs.Panel>
            <Tabs.Panel value="cases">
              <Cases target={{ scheduleId: value.id }} />
            </Tabs.Panel>
            <Tabs.Panel value="settings">
              <ScheduleForm key={value.id} schedule={value} onSaved={() => notify('Schedule saved')} />
            </Tabs.Panel>
          </Tabs>
        )}
      </QueryView>
    </Page>
  )
}
