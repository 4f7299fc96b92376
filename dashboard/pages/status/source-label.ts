import type { Stats } from '../../contract.ts'

type Source = Pick<
  Stats['byWebhook'][number],
  'webhookId' | 'webhookName' | 'scheduleId' | 'scheduleName' | 'watchedChannelId' | 'watchedChannelName'
>

/** Members do not see the names of webhooks, schedules and watched channels. */
export function sourceLabel(
  { webhookId, webhookName, scheduleId, scheduleName, watchedChannelId, watchedChannelName }: Source,
  named = true,
): string {
  if (scheduleId !== null) return scheduleName ?? (named ? 'Deleted schedule' : 'Schedule')
  if (watchedChannelId !== null) return `Watching ${watchedChannelName ?? 'a channel'}`
  if (webhookId === null) return 'Chat and MCP clients'
  return webhookName ?? (named ? 'Deleted webhook' : 'Webhook')
}
