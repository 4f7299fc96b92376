import { Stack, Text, Title } from '@mantine/core'
import { IconChecklist, IconExclamationCircle, IconPlayerPause, IconPlugX } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { RelativeTime } from '../../ui/relative-time.tsx'
import classes from './needs-me.module.css'
import { type Need, useNeeds } from './use-needs.ts'

const icons = {
  approval: IconChecklist,
  paused: IconPlayerPause,
  failed: IconExclamationCircle,
  connection: IconPlugX,
} satisfies Record<Need['kind'], unknown>

const shown = 6

/** What waits for a person, and nothing else. Where nothing ever rang, that is all there is to say. */
export function NeedsMe({ hasRung }: { hasRung: boolean }) {
  const needs = useNeeds()
  if (needs.length === 0 && !hasRung) return null
  return (
    <Stack gap={8}>
      <Title order={2}>Needs you</Title>
      {needs.length === 0 ? (
        <Text c="dimmed">Nothing just now.</Text>
      ) : (
        <ul className={classes.list}>
          {needs.slice(0, shown).map(({ id, kind, to, words, detail, at }) => {
            const Icon = icons[kind]
            return (
              <li key={id}>
                <Link
                  to={to}
                  className={classes.item}
                  data-tone={kind === 'failed' || kind === 'connection' ? 'bad' : 'waiting'}
                >
                  <Icon size={18} aria-hidden />
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
      )}
    </Stack>
  )
}
