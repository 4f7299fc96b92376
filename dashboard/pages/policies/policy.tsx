import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { call } from '../../api.ts'
import type { Policy } from '../../contract.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useOne } from '../../hooks/use-api.ts'
import { useDelete } from '../../hooks/use-delete.ts'
import { ConfirmButton } from '../../ui/feedback/confirm-button.tsx'
import { notify } from '../../ui/feedback/notify.ts'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { StatusBadge } from '../../ui/feedback/status-badge.tsx'
import { BackTo } from '../../ui/layout/back-to.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { formatNumber } from '../../ui/text/format-number.ts'
import { plural } from '../../ui/text/plural.ts'
import { useHasRole } from '../accounts/use-me.ts'
import { History } from '../revisions/history.tsx'
import { PolicyForm } from './policy-form.tsx'
import { describeCap, stateLabels } from './policy-text.ts'
import { valuesOf } from './policy-values.ts'

export default function PolicyPage() {
  const { policyId } = useParams({ strict: false })
  const policy = useOne<Policy>(`/policies/${policyId}`)
  return (
    <Page
      title={policy.data?.name ?? 'Policy'}
      place="Policies"
      back={<BackTo to="/policies" what="policies" />}
    >
      <QueryView query={policy}>{(value) => <Shown policy={value} />}</QueryView>
    </Page>
  )
}

function Shown({ policy }: { policy: Policy }) {
  const admin = useHasRole('admin')
  const { today, shadow, cap } = policy
  const changes = ['/policies', `/policies/${policy.id}`]
  const activate = useAction(() => call<Policy>('PATCH', `/policies/${policy.id}`, { state: 'active' }), {
    words: 'Policy activated',
    changes,
  })
  const first = useAction(() => call<Policy>('PATCH', `/policies/${policy.id}`, { position: 1 }), {
    words: 'This policy is checked first now',
    changes,
  })
  const remove = useDelete({ path: `/policies/${policy.id}`, message: 'Policy deleted', list: '/policies' })
  return (
    <Stack>
      <Group gap={12}>
        <StatusBadge {...stateLabels[policy.state]} />
        <Text size="sm">
          {`Last 24 hours: ${plural(today.allowed, 'automatic call')}`}
          {today.sum !== null && `, ${formatNumber(today.sum)} in total`}
          {`, ${plural(today.asked, 'call')} decided by people. ${describeCap(cap)}.`}
        </Text>
      </Group>
      {policy.pausedReason && (
        <Alert color="yellow" title="Paused">
          <Stack gap={8} align="flex-start">
            {policy.pausedReason}
            {admin && (
              <Button
                size="xs"
                variant="default"
                loading={activate.isPending}
                onClick={() => activate.mutate()}
              >
                Activate again
              </Button>
            )}
          </Stack>
        </Alert>
      )}
      {policy.state === 'shadow' && (
        <Text size="sm">
          {`In shadow, people agreed with this policy ${plural(shadow.same, 'time')} and disagreed ${plural(shadow.different, 'time')}.`}
        </Text>
      )}
      {admin ? (
        <>
          <PolicyForm id={policy.id} initialValues={valuesOf(policy)} onSaved={() => notify('Saved')} />
          <Group gap={8}>
            {policy.position > 1 && (
              <Button size="xs" variant="default" loading={first.isPending} onClick={() => first.mutate()}>
                Check this policy first
              </Button>
            )}
            <ConfirmButton
              c="red"
              question={`Delete ${policy.name}?`}
              text="The permission of the tool decides again."
              confirm="Delete policy"
              action={remove}
            >
              Delete
            </ConfirmButton>
          </Group>
        </>
      ) : (
        <Text size="sm">{`${policy.tool} when ${policy.when}. Only admins can change policies.`}</Text>
      )}
      <Title order={2}>History</Title>
      <History path={`/policies/${policy.id}`} mayRestore={admin} shownIn={['/policies']} />
    </Stack>
  )
}
