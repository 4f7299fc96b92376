import { toolLabel } from '../../../src/shared/tool-label.ts'
import type { Approval, Connector, Question, RunRow, Workspace } from '../../contract.ts'
import { itemsOf, useList, useOne } from '../../hooks/use-api.ts'
import { plural } from '../../ui/text/plural.ts'
import { useHasRole } from '../accounts/use-me.ts'
import { approvalHeadline, approvalSummary, callSubject } from '../approvals/approval-text.ts'
import { foldApprovals } from '../approvals/fold-approvals.ts'
import { useApprovals } from '../approvals/use-approvals.ts'
import { useConnectorStates } from '../connectors/use-connectors.ts'
import { triggerLabels } from '../runs/run-headline.ts'
import { useRuns } from '../runs/use-runs.ts'
import { useSchedules } from '../schedules/use-schedules.ts'
import { useSettings } from '../settings/use-settings.ts'
import { useWebhooks } from '../webhooks/use-webhooks.ts'

export type Need = {
  id: string
  kind: 'approval' | 'paused' | 'failed' | 'connection' | 'next'
  to: string
  words: string
  /** Distinguishes it from others with the same words. */
  detail?: string
  at?: string | null
}

const dayMs = 86_400_000

export type Needs = {
  /** Null until loaded. */
  needs: Need[] | null
  /** What could not be loaded: nobody knows then whether there is more. */
  unread: { error: Error | null; refetch: () => Promise<unknown> } | undefined
}

/** Approvals first, then what is paused, then what failed in the last day. */
export function useNeeds(): Needs {
  const admin = useHasRole('admin')
  const operator = useHasRole('operator')
  const approvals = useApprovals('pending')
  const asking = useOne<{ items: Question[] }>('/questions')
  const failed = useRuns({ unresolved: 'true' })
  const webhooks = useWebhooks({ enabled: operator })
  const schedules = useSchedules(undefined, operator)
  const connectors = useConnectorStates(operator)
  const workspaces = useList<Workspace>('/workspaces', {}, { enabled: operator })
  const { data: settings } = useSettings()
  const asked = operator
    ? [approvals, asking, failed, webhooks, schedules, connectors, workspaces]
    : [approvals, asking, failed]
  if (asked.some(({ isPending }) => isPending)) return { needs: null, unread: undefined }
  const needs = [
    ...(asking.data?.items ?? []).map(
      ({ id, connectorName, message }): Need => ({
        id,
        kind: 'approval',
        to: `/questions/${id}`,
        words: `${connectorName} has a question for you`,
        detail: message,
      }),
    ),
    // Others see pending approvals under Approvals; only an admin can decide them.
    ...(admin ? questions(itemsOf(approvals), approvals.hasNextPage) : []),
    ...(settings?.agent.pauseReason
      ? [{ id: 'agent', kind: 'paused' as const, to: '/settings/agent', words: settings.agent.pauseReason }]
      : []),
    ...itemsOf(webhooks)
      .filter(({ paused }) => paused)
      .map(
        ({ id, name, pauseReason }): Need => ({
          id,
          kind: 'paused',
          to: `/webhooks/${id}`,
          words: `${name} is paused: ${pauseReason ?? 'its budget is used up'}`,
        }),
      ),
    ...itemsOf(schedules)
      .filter(({ paused }) => paused)
      .map(
        ({ id, name, pauseReason }): Need => ({
          id,
          kind: 'paused',
          to: `/schedules/${id}`,
          words: `${name} is paused: ${pauseReason}`,
        }),
      ),
    ...itemsOf(connectors).flatMap(needsOf),
    ...itemsOf(workspaces)
      .filter(({ status }) => status === 'revoked')
      .map(
        ({ id, name, lastErrorAt }): Need => ({
          id,
          kind: 'connection',
          to: '/settings/workspaces',
          words: `${name} no longer accepts its token`,
          at: lastErrorAt,
        }),
      ),
    ...failures(itemsOf(failed).filter((run) => Date.now() - new Date(run.createdAt).getTime() < dayMs)),
  ]
  return { needs, unread: asked.find(({ data }) => data === undefined) }
}

/** Many approvals in one busy hour must leave room for other things. */
const questionsShown = 3

function questions(approvals: Approval[], hasMore: boolean): Need[] {
  const tools = [...Map.groupBy(approvals, ({ tool }) => tool).values()]
  const needs = tools.flatMap((calls): Need[] => {
    const [first, ...others] = calls
    if (!first) return []
    const isRepeated = others.length > 0 && foldApprovals(calls).length === 1
    return [
      {
        id: first.id,
        kind: 'approval',
        to: others.length > 0 ? '/approvals' : `/approvals/${first.id}`,
        words:
          others.length === 0 || isRepeated
            ? approvalHeadline(first)
            : `${calls.length} calls of ${toolLabel(first.tool)} need approval`,
        ...(isRepeated
          ? { detail: `${approvalSummary(first)} ×${calls.length}` }
          : others.length > 0
            ? {}
            : { detail: callSubject(first) ?? approvalSummary(first) }),
        at: first.createdAt,
      },
    ]
  })
  if (needs.length <= questionsShown + 1) return needs
  const rest = tools.slice(questionsShown).reduce((sum, calls) => sum + calls.length, 0)
  const words = hasMore ? `${rest}+ more calls need approval` : `${plural(rest, 'more call')} need approval`
  return [...needs.slice(0, questionsShown), { id: 'approvals', kind: 'approval', to: '/approvals', words }]
}

/** Repeated failures of the same kind count as one, also across webhooks: a model that is down is one trouble. */
function failures(runs: RunRow[]): Need[] {
  const alike = Map.groupBy(runs, ({ error }) => error?.message ?? '')
  return [...alike.values()].flatMap((failed): Need[] => {
    const [run, ...others] = failed
    if (!run) return []
    const sources = new Set(failed.map((one) => one.webhookId ?? one.scheduleId ?? one.watchedChannelId))
    const what =
      sources.size > 1
        ? `${plural(failed.length, 'run')} of ${sources.size} sources failed`
        : `${run.webhookName ?? run.scheduleName ?? triggerLabels[run.trigger]} failed${others.length > 0 ? ` ${failed.length} times` : ''}`
    return [
      {
        id: run.id,
        kind: 'failed',
        to:
          others.length === 0
            ? `/runs/${run.id}`
            : sources.size > 1
              ? '/runs?status=failed'
              : run.webhookId
                ? `/runs?status=failed&webhookId=${run.webhookId}`
                : run.scheduleId
                  ? `/schedules/${run.scheduleId}`
                  : '/runs?status=failed',
        words: `${what}: ${run.error?.message ?? ''}`,
        at: run.createdAt,
      },
    ]
  })
}

function needsOf(connector: Connector): Need[] {
  const { id, name, health } = connector
  const to = `/connectors/${id}`
  const changed = connector.tools.length
  const { grant } = connector
  if (grant?.state === 'reconnect') {
    return [
      {
        id,
        kind: 'connection',
        to,
        words: `${name} must be reconnected: its access has ended`,
        ...(grant.account ? { detail: grant.account } : {}),
      },
    ]
  }
  return [
    ...(health.lastError
      ? [
          {
            id,
            kind: 'connection' as const,
            to,
            words: `${name} is failing: ${health.lastError}`,
            at: health.lastErrorAt,
          },
        ]
      : []),
    ...(changed > 0
      ? [
          {
            id: `${id}:changed`,
            kind: 'paused' as const,
            to,
            words: `${name} changed ${plural(changed, 'tool')} and needs a review`,
          },
        ]
      : []),
  ]
}
