import { Alert, Stack, Text } from '@mantine/core'
import { Facts } from '../../ui/facts.tsx'

export type TestOutcome = {
  reachable: boolean
  status: number | null
  timeMs: number
  address: string | null
  tls: unknown
  problem: unknown
}

/** What the test found, in words. */
export function TestOutcomeView({ outcome }: { outcome: TestOutcome }) {
  const refused = outcome.status === 401 || outcome.status === 403
  const title = !outcome.reachable
    ? 'Not reachable'
    : refused
      ? 'Reachable, credentials refused'
      : 'Reachable'
  const color = !outcome.reachable ? 'red' : refused ? 'yellow' : 'green'
  return (
    <Alert color={color} variant="outline" title={title} role="status">
      <Stack gap={8}>
        {wordsOf(outcome.problem) && <Text size="sm">{wordsOf(outcome.problem)}</Text>}
        {!outcome.reachable && <Text size="sm">What you entered is saved all the same.</Text>}
        <Facts
          of={{
            Answer: outcome.status === null ? null : `HTTP ${outcome.status}`,
            Time: `${Math.round(outcome.timeMs)} ms`,
            Address: outcome.address,
            TLS: wordsOf(outcome.tls),
          }}
        />
      </Stack>
    </Alert>
  )
}

/** A problem is a sentence, or an object that carries one. */
function wordsOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return null
  for (const name of ['message', 'detail', 'protocol', 'code'] as const) {
    const words = (value as Record<string, unknown>)[name]
    if (typeof words === 'string') return words
  }
  return null
}
