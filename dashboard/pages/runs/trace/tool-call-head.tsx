import { Alert, Group, Stack, Text } from '@mantine/core'
import type { ToolCall } from '../../../contract.ts'
import { ErrorAlert } from '../../../ui/feedback/error-alert.tsx'
import { StatusBadge } from '../../../ui/feedback/status-badge.tsx'
import { capitalize } from '../../../ui/text/capitalize.ts'
import { formatBytes } from '../../../ui/text/format-bytes.ts'
import { useHasRole } from '../../accounts/use-me.ts'
import { ApprovalCard } from '../../approvals/approval-card.tsx'
import { Decide } from '../../approvals/decision/decide.tsx'
import { useApproval } from '../../approvals/use-approvals.ts'
import { RevisionLink } from '../../revisions/revision-link.tsx'
import { MethodBadge } from '../../tools/method-badge.tsx'
import { formatDuration } from '../format-duration.ts'

/** Errors that say themselves how the approval ended. */
const saidByError = new Set(['denied', 'approval_expired', 'approval_void', 'withdrawn'])

/** How a call went, and who decided about it; or the pending approval instead. */
export function ToolCallHead({ call }: { call: ToolCall }) {
  const operator = useHasRole('operator')
  const { sentAt, startedAt, endedAt } = call
  const facts = [
    sentAt && endedAt ? `request ${formatDuration(sentAt, endedAt)}` : null,
    call.approvalId && (sentAt ?? endedAt) ? `waited ${formatDuration(startedAt, sentAt ?? endedAt)}` : null,
    call.response ? formatBytes(new TextEncoder().encode(call.response.body).length) : null,
  ].filter(Boolean)
  return (
    <Stack gap={8}>
      <Group gap={8}>
        {call.request && <MethodBadge method={call.request.method} />}
        <Outcome call={call} />
        <Text size="xs" c="dimmed">
          {facts.join(' · ')}
        </Text>
        {operator && call.connectorId && call.toolId && call.revision !== null && (
          <Text size="xs">
            <RevisionLink
              of="tool"
              history={`/connectors/${call.connectorId}/tools/${call.toolId}`}
              n={call.revision}
            />
          </Text>
        )}
      </Group>
      {call.approvalId && !saidByError.has(call.error?.code ?? '') && (
        <ApprovalInPlace id={call.approvalId} decided={call.response !== null} />
      )}
      {call.error && (
        <Alert variant="outline" color="red" p={8}>
          <Text size="sm">{call.error.message}</Text>
        </Alert>
      )}
      {call.reason && call.reason !== call.error?.message && <Text size="sm">{call.reason}</Text>}
      {call.warnings.map((warning) => (
        <Text key={warning} size="xs" c="var(--waiting)">
          {warning}
        </Text>
      ))}
    </Stack>
  )
}

function Outcome({ call }: { call: ToolCall }) {
  if (call.error) return <StatusBadge tone="bad" word={call.error.code.replaceAll('_', ' ')} />
  const status = call.response?.status
  if (typeof status === 'number')
    return <StatusBadge tone={status < 400 ? 'good' : 'bad'} word={String(status)} />
  if (call.response) return <StatusBadge tone="good" word="completed" />
  if (call.approvalId) return <StatusBadge tone="waiting" word="needs approval" />
  return <StatusBadge tone="busy" word="calling" />
}

function ApprovalInPlace({ id, decided }: { id: string; decided: boolean }) {
  const approval = useApproval(id)
  if (approval.error) return <ErrorAlert error={approval.error} />
  if (!approval.data) return null
  if (decided || approval.data.status !== 'pending') {
    return (
      <Text size="xs" c="dimmed">
        {capitalize(approval.data.status)}
        {approval.data.decidedBy ? ` by ${approval.data.decidedBy.name}` : ''}
        {approval.data.reason ? `: “${approval.data.reason}”` : ''}
      </Text>
    )
  }
  return (
    <ApprovalCard approval={approval.data} on="run">
      <Decide approval={approval.data} />
    </ApprovalCard>
  )
}
