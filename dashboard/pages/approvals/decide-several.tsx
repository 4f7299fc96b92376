import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { toolLabel } from '../../../src/shared/tool-label.ts'
import type { Approval } from '../../contract.ts'
import { askToConfirm } from '../../ui/feedback/ask-to-confirm.ts'
import { notify, notifyProblem } from '../../ui/feedback/notify.ts'
import { Card } from '../../ui/layout/card.tsx'
import { Collapsible } from '../../ui/layout/collapsible.tsx'
import { plural } from '../../ui/text/plural.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { CapabilityBadge } from '../tools/capability-badge.tsx'
import { RequestView } from '../tools/request-view.tsx'
import { approvalCause, approvalSummary, callSubject, callVerb, waitsFor } from './approval-text.ts'
import { CallInputs } from './decision/call-inputs.tsx'
import { DecisionForm } from './decision/decision-form.tsx'
import { type Decision, sendDecision } from './decision/use-decide.ts'
import { requestKey } from './fold-approvals.ts'

type Props = { approvals: Approval[]; onDecided: () => void }
type Verdict = Decision & { only?: Approval[] }

/** Several calls of one tool, each listed, decided together. */
export function DecideSeveral({ approvals, onDecided }: Props) {
  const queries = useQueryClient()
  const [first] = approvals
  const decide = useMutation({
    // One after the other, in the order they were requested; what is refused stays pending.
    mutationFn: async ({ verb, reason, only = approvals }: Verdict) => {
      for (const approval of only) await sendDecision(approval, { verb, reason })
      return only.length
    },
    onSuccess: (count, { verb }) => {
      notify(`${verb === 'approve' ? 'Approved' : 'Denied'} ${plural(count, 'call')}`)
      onDecided()
    },
    onError: notifyProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: ['/approvals'] }),
  })
  if (!first) return null
  const oneTool = approvals.every(({ tool }) => tool === first.tool)
  const identical = approvals.every((approval) => requestKey(approval) === requestKey(first))
  const mustConfirm = approvals.some(({ kind }) => kind === 'confirm')
  const mutate = (decision: Decision) => {
    if (decision.verb === 'deny') return decide.mutate(decision)
    askToConfirm({
      title: `Approve ${approvals.length} calls?`,
      text: identical
        ? `This sends the same request ${approvals.length} times: ${approvalSummary(first)}`
        : `This sends ${approvals.length} requests of ${toolLabel(first.tool)}.`,
      action: `Approve ${approvals.length}`,
      onConfirm: () => decide.mutate(decision),
    })
  }
  return (
    <Card label={`Approval of ${plural(approvals.length, 'call')}`} edge="waiting">
      <Stack gap={12}>
        <Group gap={8}>
          <Text fw={600} size="lg">
            {identical ? `${callVerb(first.tool)} · ${callSubject(first) ?? approvalSummary(first)}` : null}
            {!identical && (oneTool ? callVerb(first.tool) : 'Different tools')} ×{approvals.length}
          </Text>
          {oneTool && <CapabilityBadge capability={first.capability} />}
        </Group>
        {identical && (
          <>
            <Text size="sm">
              The agent requested the same call {approvals.length} times. Each approval sends it once more.
            </Text>
            <CallInputs input={first.input} />
            <Collapsible title="Exact request" summary={approvalSummary(first)}>
              <RequestView request={first.request} />
            </Collapsible>
          </>
        )}
        <Stack component="ul" gap={6} m={0} pl={20}>
          {approvals.map((approval) => (
            <li key={approval.id}>
              <Text size="sm" span>
                <Anchor component={Link} to={`/approvals/${approval.id}`}>
                  {callSubject(approval) ?? approvalSummary(approval)}
                </Anchor>
                <Text span c="dimmed" size="xs">
                  {' '}
                  {approvalCause(approval)} ·{' '}
                  {approval.event?.summary ? `“${approval.event.summary}” · ` : ''}
                  <RelativeTime at={approval.createdAt} />
                </Text>
              </Text>
            </li>
          ))}
        </Stack>
        {!oneTool || mustConfirm ? (
          <Alert variant="default">
            {mustConfirm
              ? 'Destructive calls are confirmed one by one in the channel. Clear them from the selection.'
              : 'Select calls of one tool to decide them together.'}
          </Alert>
        ) : (
          <>
            <DecisionForm
              approvalId={first.id}
              waitsFor={approvals.map(waitsFor).find((who) => who !== null) ?? null}
              count={approvals.length}
              keys
              decide={{
                isPending: decide.isPending,
                variables: decide.variables,
                error: decide.error,
                mutate,
              }}
            />
            {identical && first.mayDecide && (
              <Button
                variant="default"
                size="xs"
                loading={decide.isPending}
                onClick={() =>
                  decide
                    .mutateAsync({ verb: 'approve', reason: '', only: [first] })
                    .then(() =>
                      decide.mutate({ verb: 'deny', reason: 'Duplicate request', only: approvals.slice(1) }),
                    )
                    .catch(() => undefined)
                }
                style={{ alignSelf: 'flex-start' }}
              >
                Approve one, deny {approvals.length - 1} as duplicates
              </Button>
            )}
          </>
        )}
      </Stack>
    </Card>
  )
}
