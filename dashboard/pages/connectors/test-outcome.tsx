import { Alert, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { TestOutcome } from '../../contract.ts'
import { Facts } from '../../ui/layout/facts.tsx'
import { locale } from '../../ui/text/locale.ts'

type Props = {
  outcome: TestOutcome
  onClose: () => void
  /** What to do about it. */
  children?: ReactNode
}

/** The result of the test: one line on success, all details on failure. */
export function TestOutcomeView({ outcome, onClose, children }: Props) {
  const { reachable, problem } = outcome
  const title = reachable ? (titles[problem?.code ?? ''] ?? 'Reachable') : 'Not reachable'
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
          {children}
          <Facts of={{ ...facts, 'Blocked by rule': problem.rule }} />
        </Stack>
      ) : (
        <Text size="sm">{Object.values(facts).filter(Boolean).join(' · ')}</Text>
      )}
    </Alert>
  )
}

const titles: Record<string, string> = {
  credentials_refused: 'Reachable, but the credentials were rejected',
  sign_in_required: 'Reachable, but somebody must sign in',
  request_refused: 'Reachable, but the request was refused',
}

function factsOf({ status, timeMs, address, tls }: TestOutcome): Record<string, string | null> {
  return {
    Response: status === null ? null : `HTTP ${status}`,
    Time: `${Math.round(timeMs)} ms`,
    Address: address,
    TLS:
      tls && `${tls.protocol}, certificate valid until ${new Date(tls.validTo).toLocaleDateString(locale())}`,
  }
}
