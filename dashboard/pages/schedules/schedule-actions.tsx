import { Menu, Switch } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import type { Schedule } from '../../contract.ts'
import { useDelete } from '../../hooks/use-delete.ts'
import { useQuickChange } from '../../hooks/use-quick-change.ts'
import { askToConfirm } from '../../ui/feedback/ask-to-confirm.ts'
import { MoreMenu } from '../../ui/layout/more-menu.tsx'

export function ScheduleActions({ schedule }: { schedule: Schedule }) {
  const queries = useQueryClient()
  const path = `/schedules/${schedule.id}`
  const { requested, change } = useQuickChange({
    id: schedule.id,
    save: async (patch: { active: boolean }) =>
      queries.setQueryData([path], await call<Schedule>('PATCH', path, patch)),
    refresh: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: [path] }),
        queries.invalidateQueries({ queryKey: ['/schedules'] }),
      ]),
  })
  const remove = useDelete({ path, message: `${schedule.name} was deleted`, list: '/schedules' })
  return (
    <>
      <Switch
        checked={(requested ?? schedule).active}
        onChange={(event) => {
          const active = event.currentTarget.checked
          const words = active ? `${schedule.name} is active again` : `${schedule.name} is inactive now`
          change({ active }, words)
        }}
        label="Active"
        style={{ alignSelf: 'center' }}
      />
      <MoreMenu what="this schedule">
        <Menu.Item
          leftSection={<IconTrash size="1rem" aria-hidden />}
          c="var(--bad)"
          onClick={() =>
            askToConfirm({
              title: `Delete ${schedule.name}?`,
              text: 'It never runs again. Events and runs are kept until their retention ends.',
              action: 'Delete schedule',
              onConfirm: () => remove.mutate(),
            })
          }
        >
          Delete
        </Menu.Item>
      </MoreMenu>
    </>
  )
}
