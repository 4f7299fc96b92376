import { Stack, Text, Title } from '@mantine/core'
import {
  IconArrowRight,
  IconChecklist,
  IconExclamationCircle,
  IconPlayerPause,
  IconPlugX,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import classes from './needs-attention.module.css'
import type { Need, Needs } from './use-needs.ts'

const icons = {
  approval: IconChecklist,
  paused: IconPlayerPause,
  failed: IconExclamationCircle,
  connection: IconPlugX,
  next: IconArrowRight,
} satisfies Record<Need['kind'], unknown>

const tones: Partial<Record<Need['kind'], string>> = { failed: 'bad', connection: 'bad', next: 'idle' }

const shown = 6

/** Read by the page: a second reader would ask again for what could not be loaded, and the page would wait again. */
type Props = { needs: Need[]; unread: Needs['unread']; steps: Need[]; hasEvents: boolean }

/** What waits for a person, and nothing else. Before the first event ever, that is all there is to show. */
export function NeedsAttention({ needs, unread, steps, hasEvents }: Props) {
  if (needs.length === 0 && !unread && !hasEvents) return null
  return (
    <Stack gap={8}>
      <Title order={2}>Needs attention</Title>
      {needs.length > 0 ? (
        <NeedList needs={needs} />
      ) : unread ? null : (
        <>
          <Text c="dimmed">You’re all caught up.{steps.length > 0 && ' Next:'}</Text>
          {steps.length > 0 && <NeedList needs={steps} />}
        </>
      )}
      {unread && <ErrorAlert error={unread.error} retry={() => void unread.refetch()} />}
    </Stack>
  )
}

function NeedList({ needs }: { needs: Need[] }) {
  return (
    <ul className={classes.list}>
      {needs.slice(0, shown).map(({ id, kind, to, words, detail, at }) => {
        const Icon = icons[kind]
        return (
          <li key={id}>
            <Link to={to} className={classes.item} data-tone={tones[kind] ?? 'waiting'}>
              <Icon size="1.125rem" aria-hidden />
              <span className={classes.words}>
                {words}
                {detail && <code className={classes.detail}>{detail}</code>}
              </span>
              {at && <RelativeTime at={at} />}
            </Link>
          </li>
        )
      })}
      {needs.length > shown && (
        <li className={classes.more}>
          and {needs.length - shown} more under <Link to="/approvals">Approvals</Link> and{' '}
          <Link to="/runs">Runs</Link>
        </li>
      )}
    </ul>
  )
}
