import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../../api.ts'
import type { Group as PeopleGroup } from '../../../contract.ts'
import { useAction } from '../../../hooks/use-action.ts'
import { useList } from '../../../hooks/use-api.ts'
import { ConfirmButton } from '../../../ui/feedback/confirm-button.tsx'
import { Empty } from '../../../ui/feedback/empty.tsx'
import { Card } from '../../../ui/layout/card.tsx'
import { ListView } from '../../../ui/table/list-view.tsx'
import { plural } from '../../../ui/text/plural.ts'
import { AdminsApprove } from './admins-approve.tsx'
import { GroupForm } from './group-form.tsx'

/** Groups of people who approve together. */
export function Groups() {
  const groups = useList<PeopleGroup>('/groups', {}, { ofNow: true })
  const [edited, setEdited] = useState<string | null>(null)
  const close = () => setEdited(null)
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <Text size="sm" c="dimmed" maw={560}>
          Name a group as approvers on a tool’s page or in a policy. Members of a group decide about its
          calls, whatever their role.
        </Text>
        {edited !== 'new' && (
          <Button size="xs" onClick={() => setEdited('new')}>
            New group
          </Button>
        )}
      </Group>
      {edited === 'new' && (
        <Card label="New group">
          <GroupForm group={null} onDone={close} />
        </Card>
      )}
      <ListView
        query={groups}
        empty={
          <Empty
            purpose="Without groups, admins approve."
            example="For example Finance for refunds, or the on-call group of Slack for restarts."
          />
        }
      >
        {(items) => (
          <Stack gap={8}>
            {items.map((group) => (
              <Card key={group.id} label={group.name}>
                {edited === group.id ? (
                  <GroupForm group={group} onDone={close} />
                ) : (
                  <Shown group={group} onEdit={() => setEdited(group.id)} />
                )}
              </Card>
            ))}
          </Stack>
        )}
      </ListView>
      <AdminsApprove />
    </Stack>
  )
}

function Shown({ group, onEdit }: { group: PeopleGroup; onEdit: () => void }) {
  const remove = useAction(() => call<void>('DELETE', `/groups/${group.id}`), {
    words: `${group.name} was deleted`,
    changes: ['/groups'],
  })
  const { userIds, claimUserIds, slackUserGroup, oidcClaim } = group
  const sources = [
    userIds.length > 0 && plural(userIds.length, 'person', 'people'),
    slackUserGroup && `Slack user group ${slackUserGroup}`,
    oidcClaim && `claim ${oidcClaim} (${plural(claimUserIds.length, 'person', 'people')} so far)`,
  ].filter((words) => typeof words === 'string' && words !== '')
  return (
    <Group justify="space-between" gap={8}>
      <div>
        <Text fw={500}>{group.name}</Text>
        <Text size="sm" c="dimmed">
          {sources.length > 0 ? sources.join(' · ') : 'Nobody yet'}
        </Text>
      </div>
      <Group gap={8}>
        <Button size="compact-xs" variant="default" aria-label={`Edit ${group.name}`} onClick={onEdit}>
          Edit
        </Button>
        <ConfirmButton
          size="compact-xs"
          aria-label={`Delete ${group.name}`}
          question={`Delete ${group.name}?`}
          text="A group that a tool, a policy or a waiting call names cannot be deleted."
          confirm="Delete group"
          action={remove}
        >
          Delete
        </ConfirmButton>
      </Group>
    </Group>
  )
}
