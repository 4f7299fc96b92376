import type { Webhook } from '../../contract.ts'
import { StatusBadge } from '../../ui/feedback/status-badge.tsx'

export function WebhookState({ webhook }: { webhook: Webhook }) {
  if (!webhook.active) return <StatusBadge tone="idle" word="inactive" />
  if (webhook.paused) return <StatusBadge tone="waiting" word="paused" />
  return <StatusBadge tone="good" word="active" />
}
