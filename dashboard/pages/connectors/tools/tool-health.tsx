import { Anchor, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Facts } from '../../../ui/layout/facts.tsx'
import { formatNumber } from '../../../ui/text/format-number.ts'
import { RelativeTime } from '../../../ui/text/relative-time.tsx'
import { formatSeconds } from '../../status/format-seconds.ts'
import { CallBars } from './call-bars.tsx'
import { useToolHealth } from './use-tool-health.ts'

/** How the tool did in the last 48 hours. */
export function ToolHealth({ connectorId, toolId }: { connectorId: string; toolId: string }) {
  const health = useToolHealth(connectorId).healthOf.get(toolId)
  return (
    <Stack gap={8}>
      <Title order={2}>Last 48 hours</Title>
      {health ? (
        <>
          <CallBars health={health} width={320} />
          <Facts
            of={{
              Calls: (
                <Anchor component={Link} to="/runs" search={{ toolId } as never}>
                  {formatNumber(health.calls)}
                </Anchor>
              ),
              Errors: formatNumber(health.errors),
              'Request time': `p50 ${formatSeconds(health.seconds.p50)}, p95 ${formatSeconds(health.seconds.p95)}`,
              'Last error': health.lastError && (
                <Anchor component={Link} to={`/runs/${health.lastError.runId}`}>
                  {health.lastError.code?.replaceAll('_', ' ') ?? health.lastError.status},{' '}
                  <RelativeTime at={health.lastError.at} />
                </Anchor>
              ),
            }}
          />
        </>
      ) : (
        <Text size="sm" c="dimmed">
          The agent has not called this tool.
        </Text>
      )}
    </Stack>
  )
}
