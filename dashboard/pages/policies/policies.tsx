import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { IconGavel } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { withQuery } from '../../api.ts'
import type { Policy, PolicySuggestion } from '../../contract.ts'
import { useList, useOne } from '../../hooks/use-api.ts'
import { useFilter } from '../../hooks/use-filter.ts'
import { EmptyList } from '../../ui/feedback/empty-list.tsx'
import { StatusBadge } from '../../ui/feedback/status-badge.tsx'
import { BackTo } from '../../ui/layout/back-to.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { isEmpty, ListView } from '../../ui/table/list-view.tsx'
import { SearchField } from '../../ui/table/search-field.tsx'
import { formatNumber } from '../../ui/text/format-number.ts'
import { useHasRole } from '../accounts/use-me.ts'
import { decisionLabels, stateLabels } from './policy-text.ts'

export default function Policies() {
  const admin = useHasRole('admin')
  const create = (
    <Button component={Link} to="/policies/new" size="xs">
      New policy
    </Button>
  )
  const [q, setQ] = useFilter('q')
  const policies = useList<Policy>('/policies', { limit: '100', q }, { live: true, ofNow: true })
  return (
    <Page
      title="Policies"
      wide
      back={<BackTo to="/approvals" what="approvals" />}
      action={admin ? create : null}
    >
      <Stack>
        {admin && <Suggestions />}
        {(q !== undefined || !isEmpty(policies)) && (
          <SearchField label="Search policies" value={q} onChange={setQ} />
        )}
        <ListView
          query={policies}
          empty={
            <EmptyList
              what="policies"
              to="/policies"
              filtered={q !== undefined}
              icon={<IconGavel size="1.75rem" stroke={1.5} aria-hidden />}
              purpose="A policy decides calls of a tool in advance, so that people are asked only about the rest."
              example="“Refunds up to 50 are automatic, at most 20 a day. Refunds over 1,000 are confirmed in the channel.”"
              action={admin ? create : undefined}
            />
          }
        >
          {(items) => (
            <DataTable
              label="Policies"
              rows={items}
              columns={columns}
              rowHref={({ id }) => `/policies/${id}`}
            />
          )}
        </ListView>
      </Stack>
    </Page>
  )
}

const columns: Column<Policy>[] = [
  { name: 'Name', grow: true, cell: ({ name, position }) => `${position}. ${name}` },
  { name: 'State', sort: ({ state }) => state, cell: ({ state }) => <StatusBadge {...stateLabels[state]} /> },
  { name: 'Tool', narrow: 'hide', sort: ({ tool }) => tool, cell: ({ tool }) => <Code fz={12}>{tool}</Code> },
  { name: 'When', narrow: 'wide-only', grow: true, cell: ({ when }) => <Code fz={12}>{when}</Code> },
  { name: 'Then', narrow: 'below', cell: (policy) => decisionLabels[policy.then] },
  {
    name: 'Last 24 hours',
    narrow: 'hide',
    numeric: true,
    cell: ({ cap, today }) => (cap ? `${formatNumber(today.allowed)} of ${formatNumber(cap.calls)}` : '–'),
  },
]

/** Rules that people's own decisions speak for. */
function Suggestions() {
  const { data } = useOne<{ items: PolicySuggestion[] }>('/policies/suggestions')
  if (!data?.items.length) return null
  return (
    <>
      {data.items.map(({ tool, when, because, cap }) => (
        <Card key={tool} label={`Suggested policy for ${tool}`} edge="busy">
          <Group justify="space-between" align="flex-start">
            <div>
              <Text size="sm" fw={600}>
                Suggested: allow <Code fz={13}>{tool}</Code> automatically
              </Text>
              <Text size="sm" c="dimmed">
                {because}
              </Text>
              <Code fz={12}>{when}</Code>
            </div>
            <Button
              size="xs"
              variant="default"
              component={Link}
              to={withQuery('/policies/new', { tool, when, calls: String(cap.calls) })}
            >
              Review and use
            </Button>
          </Group>
        </Card>
      ))}
    </>
  )
}
