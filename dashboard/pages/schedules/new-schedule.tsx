import { BackTo } from '../../ui/back-to.tsx'
import { notify } from '../../ui/notify.ts'
import { Page } from '../../ui/page.tsx'
import { useNavigateIfHere } from '../../use-navigate-if-here.ts'
import { ScheduleForm } from './schedule-form.tsx'

export default function NewSchedule() {
  const navigateIfHere = useNavigateIfHere()
  return (
    <Page title="New schedule" back={<BackTo to="/schedules" what="schedules" />}>
      <ScheduleForm
        onSaved={(schedule) => {
          notify('Schedule created')
          void navigateIfHere(`/schedules/${schedule.id}`)
        }}
      />
    </Page>
  )
}
