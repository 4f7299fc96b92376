import { Alert, Stack, Text } from '@mantine/core'
import type { TestOutcome } from '../../contract.ts'
import { Facts } from '../../ui/facts.tsx'

type Props = { outcome: TestOutcome; onClose: () => void }

/** The result of the test: one line on success, all details on failure. */
export function TestOutcomeView({ outcome, onClose }: Props) {
  const { reachable, problem } = outcome
  const refused = problem?.code === 'credentials_refused'
  const title = !reachable
    ? 'Not reachable'
    : refused
      ? 'Reachable, but the credentials were rejected'
      : 'Reachable'
  const color = !reachable ? 'red' : problem ? 'yellow' : 'green'
  const facts = factsOf(outcome)
  return (
    <Alert
      color={color}
      variant="outline"
      title={title}
      role="status"
      withCloseButton
      closeButtonLabel="Close"
      onClose={onClose}
    >
      {problem ? (
        <Stack gap={8}>
          <Text size="sm">{problem.message}</Text>
          {!reachable && <Text size="sm">Your settings were saved anyway.</Text>}
          <Facts of={{ ...facts, 'Blocked by rule': problem.rule }} />
        </Stack>
      ) : (
        <Text size="sm">{Object.values(facts).filter(Boolean).join(' · ')}</Text>
      )}
    </Alert>
  )
}

function factsOf({ status, timeMs, address, tls }: TestOutcome): Record<string, string | null> {
  return {
    Response: status === null ? null : `HTTP ${status}`,
    Time: `${Math.round(timeMs)} ms`,
    Address: address,
    TLS: tls && `${tls.protocol}, certificate valid until ${new Date(tls.validTo).toLocaleDateString()}`,
  }
}
