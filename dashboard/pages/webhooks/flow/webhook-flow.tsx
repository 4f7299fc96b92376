import type { Approval, CallableTool, Settings, Stats, Webhook } from '../../../contract.ts'
import { itemsOf, useList, useOne } from '../../../hooks/use-api.ts'
import { plural } from '../../../ui/text/plural.ts'
import { countWithoutRun } from '../../status/event-series.ts'
import { capabilityOrder } from '../../tools/permission-labels.ts'
import { sourceOf } from '../sources/source-of.ts'
import { presetLabel } from '../verification/presets.ts'
import classes from './flow.module.css'
import { FlowNode } from './flow-node.tsx'

/** What is not known yet is not said to be none. */
const notLoaded = '…'

/** The way of an event through this webhook, with the numbers of the last 24 hours; where it breaks is red. */
export function WebhookFlow({ webhook, stats }: { webhook: Webhook; stats: Stats }) {
  const { id, verification, rules } = webhook
  const page = `/webhooks/${id}`
  const { totals } = stats
  const { withoutRun, runs } = totals
  const refused = sum(stats.byWebhook.find(({ webhookId }) => webhookId === id)?.refusedPerHour ?? [])
  const approvals = useList<Approval>(
    '/approvals',
    { status: 'pending', webhookId: id },
    { live: true, ofNow: true },
  )
  const pending = itemsOf(approvals).length
  const isKnown = approvals.data !== undefined
  const preset = verification?.preset ?? null
  return (
    <ol className={classes.flow} aria-label="Flow of events in the last 24 hours">
      <FlowNode
        name="Sender"
        what={sourceOf({ name: webhook.name, preset })?.label ?? 'Any sender'}
        figure={plural(totals.events, 'event')}
        to={`${page}?tab=events`}
      />
      <FlowNode
        name="Verification"
        what={preset === null ? 'Off' : presetLabel(preset)}
        figure={refused > 0 ? `${refused} refused` : preset === null ? 'Anyone with the URL' : 'None refused'}
        tone={refused > 0 ? 'bad' : null}
        to={`${page}?tab=${refused > 0 ? 'refused' : 'settings'}`}
      />
      <FlowNode
        name="Rules"
        what={rules.length === 0 ? 'Every event runs' : plural(rules.length, 'rule')}
        figure={
          [
            withoutRun.skipped > 0 && `${withoutRun.skipped} skipped`,
            withoutRun.notified > 0 && `${withoutRun.notified} posted`,
            withoutRun.joined > 0 && `${withoutRun.joined} joined`,
          ]
            .filter(Boolean)
            .join(', ') || `${totals.events - countWithoutRun(totals)} passed`
        }
        to={`${page}?tab=settings`}
      />
      <AgentNode webhook={webhook} runs={runs} />
      <ToolsNode webhook={webhook} />
      <FlowNode
        name="Approvals"
        what={webhook.ceiling === 'read' ? 'Not needed' : 'Before each write'}
        figure={isKnown ? `${pending || 'None'}${approvals.hasNextPage ? '+' : ''} pending` : notLoaded}
        tone={pending > 0 ? 'waiting' : null}
        to="/approvals"
      />
      <FlowNode
        name="Channel"
        what={webhook.channelName ?? 'Another workspace'}
        figure={`${runs.succeeded} finished`}
        to={`/channels/${webhook.channelId}`}
      />
    </ol>
  )
}

function AgentNode({ webhook, runs }: { webhook: Webhook; runs: Stats['totals']['runs'] }) {
  const settings = useOne<Settings>('/settings').data
  const failed = runs.failed > 0
  // The offline agent has no name of a model.
  return (
    <FlowNode
      name="Agent"
      what={webhook.model?.name || settings?.model.name || (settings ? 'Offline' : 'Agent')}
      figure={failed ? `${runs.failed} failed` : runs.active > 0 ? `${runs.active} active` : 'None failed'}
      tone={failed ? 'bad' : null}
      to={`/runs?webhookId=${webhook.id}${failed ? '&status=failed' : ''}`}
    />
  )
}

/** Those that a run may call: of its connectors, not turned off, and up to the maximum permission. */
function ToolsNode({ webhook: { connectorIds, ceiling, id } }: { webhook: Webhook }) {
  const tools = useOne<{ items: CallableTool[] }>('/tools').data?.items
  const allowed = (tools ?? []).filter(
    ({ connectorId, capability, permission }) =>
      permission !== 'off' &&
      (connectorIds === null || connectorIds.includes(connectorId)) &&
      capabilityOrder.indexOf(capability) <= capabilityOrder.indexOf(ceiling),
  )
  const counts = capabilityOrder
    .map((one) => ({ one, count: allowed.filter(({ capability }) => capability === one).length }))
    .filter(({ count }) => count > 0)
  return (
    <FlowNode
      name="Tools"
      what={counts.map(({ one, count }) => `${count} ${one}`).join(', ') || (tools ? 'No tools' : notLoaded)}
      figure={connectorIds === null ? 'All connectors' : plural(connectorIds.length, 'connector')}
      to={connectorIds?.length === 1 ? `/connectors/${connectorIds[0]}` : `/webhooks/${id}?tab=settings`}
    />
  )
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, count) => total + count, 0)
