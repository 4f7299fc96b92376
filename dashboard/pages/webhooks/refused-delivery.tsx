import { Alert, Anchor, Button, CloseButton, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { call } from '../../api.ts'
import type { Refusal, RefusalCheck, ShownRefusal } from '../../contract.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useOne } from '../../hooks/use-api.ts'
import { RawView } from '../../ui/code/raw-view.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Facts } from '../../ui/layout/facts.tsx'
import { formatBytes } from '../../ui/text/format-bytes.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'

/** As much of a body as the API gives. */
const shownBytes = 2048

/** As far as it is kept; of credentials only the names are shown. */
export function RefusedDelivery({
  webhookId,
  alike,
  at,
  choose,
}: {
  webhookId: string
  /** The latest first. */
  alike: Refusal[]
  at: number
  choose: (id: string | null) => void
}) {
  const refusal = alike[at]
  if (!refusal) return null
  const { status, reason, source, contentType, sizeBytes, headers } = refusal
  const other = (label: string, step: 1 | -1) => {
    const to = alike[at + step]
    return (
      <Button size="compact-xs" variant="default" disabled={!to} onClick={() => to && choose(to.id)}>
        {label}
      </Button>
    )
  }
  return (
    <Card label="Refused delivery">
      <Stack gap={12}>
        <Group gap={8} wrap="nowrap" align="flex-start" justify="space-between">
          <Text fw={500}>{reason}</Text>
          <CloseButton aria-label="Close" onClick={() => choose(null)} />
        </Group>
        {alike.length > 1 && (
          <Group gap={8} fz="xs" c="dimmed">
            {other('Newer', -1)}
            {at + 1} of {alike.length}
            {other('Older', 1)}
          </Group>
        )}
        <Facts
          of={{
            Answered: `${status} ${refusal.problem}`,
            When: <RelativeTime at={refusal.at} />,
            From: source,
            'Content type': contentType ?? 'None',
            Size: sizeBytes === null ? 'Not read' : formatBytes(sizeBytes),
          }}
        />
        <RawView
          what="Headers"
          text={Object.entries(headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join('\n')}
        />
        {refusal.requestKept ? (
          <KeptRequest
            key={refusal.id}
            path={`/webhooks/${webhookId}/refusals/${refusal.id}`}
            refusal={refusal}
          />
        ) : (
          <Text size="xs" c="dimmed">
            The body of this delivery is not kept. Bodies are kept for a day: of the last ten deliveries with
            a wrong signature or invalid JSON, at most one per second. Let the sender deliver again.
          </Text>
        )}
      </Stack>
    </Card>
  )
}

/** What came, and whether it would pass with the settings of now. */
function KeptRequest({ path, refusal }: { path: string; refusal: Refusal }) {
  const shown = useOne<ShownRefusal>(path)
  const check = useAction(() => call<RefusalCheck>('POST', `${path}/check`))
  const body = shown.data?.body
  const isCut = (refusal.sizeBytes ?? 0) > shownBytes
  return (
    <>
      {body != null && (
        <div>
          <RawView what={isCut ? 'Body, first 2 kB' : 'Body'} text={body} json maxHeight={200} />
          <Text size="xs" c="dimmed" mt={4}>
            Not verified: anyone who has the URL could have sent this. Signatures and credentials are hidden.
          </Text>
        </div>
      )}
      <Group gap={12}>
        <Button size="xs" variant="default" loading={check.isPending} onClick={() => check.mutate()}>
          Check again
        </Button>
        <Text size="xs" c="dimmed">
          With the current{' '}
          <Anchor component={Link} to="." search={{ tab: 'settings' } as never} size="xs">
            settings
          </Anchor>
          , as of the time it came.
        </Text>
      </Group>
      {check.data && (
        <Alert role="status" variant="outline" color={check.data.passes ? 'green' : 'yellow'}>
          {check.data.passes
            ? 'It passes now. Let the sender deliver it again: nothing was accepted by this check.'
            : `Still refused. ${check.data.reason}`}
        </Alert>
      )}
    </>
  )
}
