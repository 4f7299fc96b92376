import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../../api.ts'
import type { Group as PeopleGroup } from '../../../contract.ts'
import { useAction } from '../../../hooks/use-action.ts'
import { itemsOf, useList } from '../../../hooks/use-api.ts'
import { useFilter } from '../../../hooks/use-filter.ts'
import { ConfirmButton } from '../../../ui/feedback/confirm-button.tsx'
import { EmptyList } from '../../../ui/feedback/empty-list.tsx'
import { Card } from '../../../ui/layout/card.tsx'
import { type Column, DataTable } from '../../../ui/table/data-table.tsx'
import { ListView } from '../../../ui/table/list-view.tsx'
import { SearchField } from '../../../ui/table/search-field.tsx'
import { plural } from '../../../ui/text/plural.ts'
import { AdminsApprove } from './admins-approve.tsx'
import { GroupForm } from './group-form.tsx'

/** Groups of people who approve together. */
export function Groups() {
  const [q, setQ] = useFilter('q')
  const groups = useList<PeopleGroup>('/groups', { q }, { ofNow: true })
  const [edited, setEdited] = useState<PeopleGroup | 'new' | null>(null)
  const close = () => setEdited(null)
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <Text size="sm" c="dimmed" maw={560}>
          Name a group as approvers on a tool’s page or in a policy. Members of a group decide about its
          calls, whatever their role.
        </Text>
        {edited === null && (
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
      {edited !== null && edited !== 'new' && (
        <Card label={edited.name}>
          {/* As it is now, also if a search hides it. */}
          <GroupForm
            key={edited.id}
            group={itemsOf(groups).find(({ id }) => id === edited.id) ?? edited}
            onDone={close}
          />
        </Card>
      )}
      <SearchField label="Search groups" value={q} onChange={setQ} />
      <ListView
        query={groups}
        empty={
          <EmptyList
            what="groups"
            to="/settings/groups"
            filtered={q !== undefined}
            purpose="Without groups, admins approve."
            example="For example Finance for refunds, or the on-call group of Slack for restarts."
          />
        }
      >
        {(items) => (
          <DataTable
            label="Groups"
            rows={items}
            columns={[
              ...columns,
              {
                name: 'Actions',
                quiet: true,
                cell: (group) => <Actions group={group} onEdit={() => setEdited(group)} />,
              },
            ]}
          />
        )}
      </ListView>
      <AdminsApprove />
    </Stack>
  )
}

const columns: Column<PeopleGroup>[] = [
  { name: 'Name', grow: true, sort: ({ name }) => name, cell: ({ name }) => name },
  {
    name: 'Members',
    grow: true,
    narrow: 'below',
    // Those known here: who is in a group of Slack is asked when somebody decides.
    sort: ({ userIds, claimUserIds }) => userIds.length + claimUserIds.length,
    cell: membersOf,
  },
]

function membersOf({ userIds, claimUserIds, slackUserGroup, oidcClaim }: PeopleGroup): string {
  const sources = [
    userIds.length > 0 && plural(userIds.length, 'person', 'people'),
    slackUserGroup && `Slack user group ${slackUserGroup}`,
    oidcClaim && `claim ${oidcClaim} (${plural(claimUserIds.length, 'person', 'people')} so far)`,
  ].filter((words) => typeof words === 'string' && words !== '')
  return sources.join(' · ') || 'Nobody yet'
}

function Actions({ group, onEdit }: { group: PeopleGroup; onEdit: () => void }) {
  const remove = useAction(() => call<void>('DELETE', `/groups/${group.id}`), {
    words: `${group.name} was deleted`,
    changes: ['/groups'],
  })
  return (
    <Group gap={8} wrap="nowrap">
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
  )
}
