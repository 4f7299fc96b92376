import type { Stats } from '../../contract.ts'

type Source = Pick<Stats['byWebhook'][number], 'webhookId' | 'webhookName' | 'scheduleId' | 'scheduleName'>

/** Members do not see the names of webhooks and schedules. */
export function sourceLabel(
  { webhookId, webhookName, scheduleId, scheduleName }: Source,
  named = true,
): string {
  if (scheduleId !== null) return scheduleName ?? (named ? 'Deleted schedule' : 'Schedule')
  if (webhookId === null) return 'Chat and MCP clients'
  return webhookName ?? (named ? 'Deleted webhook' : 'Webhook')
}
