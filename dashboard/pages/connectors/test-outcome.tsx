import { Alert, Stack, Text } from '@mantine/core'
import type { TestOutcome } from '../../contract.ts'
import { Facts } from '../../ui/facts.tsx'

/** What the test found, in words. */
export function TestOutcomeView({ outcome }: { outcome: TestOutcome }) {
  const { reachable, problem } = outcome
  const refused = problem?.code === 'credentials_refused'
  const title = !reachable ? 'Not reachable' : refused ? 'Reachable, credentials refused' : 'Reachable'
  const color = !reachable ? 'red' : problem ? 'yellow' : 'green'
  return (
    <Alert color={color} variant="outline" title={title} role="status">
      <Stack gap={8}>
        {outcome.problem && <Text size="sm">{outcome.problem.message}</Text>}
        {!outcome.reachable && <Text size="sm">What you entered is saved all the same.</Text>}
        <Facts
          of={{
            Answer: outcome.status === null ? null : `HTTP ${outcome.status}`,
            Time: `${Math.round(outcome.timeMs)} ms`,
            Address: outcome.address,
            TLS:
              outcome.tls &&
              `${outcome.tls.protocol}, certificate valid until ${new Date(outcome.tls.validTo).toLocaleDateString()}`,
            'Rule that refused it': outcome.problem?.rule,
          }}
        />
      </Stack>
    </Alert>
  )
}
