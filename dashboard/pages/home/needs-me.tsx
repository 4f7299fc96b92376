import { Stack, Text, Title } from '@mantine/core'
import { IconChecklist, IconExclamationCircle, IconPlayerPause } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { useMay } from '../accounts/use-me.ts'
import { approvalHeadline } from '../approvals/approval-card.tsx'
import { useApprovals } from '../approvals/use-approvals.ts'
import { triggerWords } from '../runs/run-headline.ts'
import { useRuns } from '../runs/use-runs.ts'
import { useWebhookNames, useWebhooks } from '../webhooks/use-webhooks.ts'
import classes from './needs-me.module.css'

const dayMs = 86_400_000

/** What waits for a person, and for nothing else. */
export function NeedsMe() {
  const operator = useMay('operator')
  const approvals = useApprovals('pending')
  const failed = useRuns({ status: 'failed' })
  const webhooks = useWebhooks(true, operator)
  const webhookName = useWebhookNames()
  const waiting = approvals.data?.pages[0]?.items ?? []
  const broken = (failed.data?.pages[0]?.items ?? []).filter(
    (run) => Date.now() - new Date(run.createdAt).getTime() < dayMs,
  )
  const paused = (webhooks.data?.pages[0]?.items ?? []).filter((webhook) => webhook.paused)
  const count = waiting.length + broken.length + paused.length
  return (
    <Stack gap={8}>
      <Title order={2}>Needs you</Title>
      {count === 0 && <Text c="dimmed">Nothing. Everything that rang was answered.</Text>}
      {count > 0 && (
        <ul className={classes.list}>
          {waiting.slice(0, 5).map((approval) => (
            <li key={approval.id}>
              <Link to={`/approvals/${approval.id}`} className={classes.item} data-tone="waiting">
                <IconChecklist size={18} aria-hidden />
                <span className={classes.words}>{approvalHeadline(approval)}</span>
                <RelativeTime at={approval.createdAt} />
              </Link>
            </li>
          ))}
          {paused.map((webhook) => (
            <li key={webhook.id}>
              <Link to={`/webhooks/${webhook.id}`} className={classes.item} data-tone="waiting">
                <IconPlayerPause size={18} aria-hidden />
                <span className={classes.words}>
                  {webhook.name} is paused: {webhook.pauseReason ?? 'its budget is spent'}
                </span>
              </Link>
            </li>
          ))}
          {broken.slice(0, 5).map((run) => (
            <li key={run.id}>
              <Link to={`/runs/${run.id}`} className={classes.item} data-tone="bad">
                <IconExclamationCircle size={18} aria-hidden />
                <span className={classes.words}>
                  {webhookName(run.webhookId) ?? triggerWords[run.trigger]} failed: {run.error?.message}
                </span>
                <RelativeTime at={run.createdAt} />
              </Link>
            </li>
          ))}
          {count > 10 && (
            <li className={classes.more}>
              and more under <Link to="/approvals">Approvals</Link> and <Link to="/runs">Runs</Link>
            </li>
          )}
        </ul>
      )}
    </Stack>
  )
}
