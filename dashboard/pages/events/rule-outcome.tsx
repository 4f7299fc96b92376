import { Alert, Code, List, Text } from '@mantine/core'
import type { LedgerEvent } from '../../contract.ts'

/** The rule that decided about an event, as it was then. */
export function RuleInWords({ rule }: { rule: NonNullable<LedgerEvent['rule']> }) {
  return (
    <>
      Rule {rule.index + 1}: <Code fz={12}>{rule.when}</Code>
    </>
  )
}

/** Conditions that could not be evaluated did not match. Nobody should have to guess why. */
export function RuleFaults({ faults }: { faults: LedgerEvent['ruleFaults'] }) {
  if (faults.length === 0) return null
  return (
    <Alert color="yellow" variant="outline" title="Some rules could not be evaluated and did not match">
      <List size="sm">
        {faults.map(({ index, detail }) => (
          <List.Item key={index}>
            <Text size="sm" span>
              Rule {index + 1}: {detail}
            </Text>
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
