import { Switch } from '@mantine/core'
import { notify, notifyProblem } from '../../../ui/feedback/notify.ts'
import { QueryView } from '../../../ui/feedback/query-view.tsx'
import { useChangeSettings, useSettings } from '../use-settings.ts'

export function AdminsApprove() {
  const settings = useSettings()
  const saving = useChangeSettings()
  return (
    <QueryView query={settings}>
      {({ approvals }) => (
        <Switch
          label="Admins can approve where groups do"
          description="Admins can deny every call in any case."
          checked={approvals.adminsMayApprove}
          disabled={saving.isPending}
          onChange={(event) =>
            saving.mutate(
              { approvals: { adminsMayApprove: event.currentTarget.checked } },
              { onSuccess: () => notify('Settings saved'), onError: notifyProblem },
            )
          }
        />
      )}
    </QueryView>
  )
}
