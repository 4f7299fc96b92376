import { Anchor, Group, Select, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api.ts'
import type { BacktestResult } from '../../contract.ts'
import { BarChart } from '../../ui/charts/bar-chart.tsx'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Facts } from '../../ui/layout/facts.tsx'
import { formatNumber } from '../../ui/text/format-number.ts'
import { plural } from '../../ui/text/plural.ts'
import { type PolicyValues, toInput } from './policy-values.ts'

/** What the policy would have done with people's own decisions, while it is being written. */
export function Backtest({ values }: { values: PolicyValues }) {
  const [days, setDays] = useState('30')
  const { name: _, ...policy } = toInput(values)
  const [asked] = useDebouncedValue(
    JSON.stringify({ policy: { ...policy, state: 'active' }, days: Number(days) }),
    500,
  )
  const isComplete =
    policy.tool !== '' && policy.when.trim() !== '' && (policy.then !== 'auto' || policy.cap !== null)
  const result = useQuery({
    queryKey: ['backtest', asked],
    queryFn: ({ signal }) => call<BacktestResult>('POST', '/policies/backtest', JSON.parse(asked), signal),
    enabled: isComplete,
    placeholderData: keepPreviousData,
    retry: false,
  })
  return (
    <Card label="What it would have done">
      <Group justify="space-between">
        <Text fw={600} size="sm">
          What it would have done
        </Text>
        <Select
          aria-label="Period"
          size="xs"
          w={150}
          data={[7, 30, 90, 365].map((number) => ({ value: String(number), label: `Last ${number} days` }))}
          value={days}
          allowDeselect={false}
          onChange={(value) => setDays(value ?? '30')}
        />
      </Group>
      {!isComplete && (
        <Text size="sm" c="dimmed">
          Choose a tool and write a condition to try it on past decisions.
        </Text>
      )}
      {isComplete && result.error && <ErrorAlert error={result.error} />}
      {isComplete && !result.error && result.data && <Result of={result.data} then={values.then} />}
    </Card>
  )
}

function Result({ of, then }: { of: BacktestResult; then: PolicyValues['then'] }) {
  if (of.examined === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nobody has decided about this tool in that time, so there is nothing to compare with.
      </Text>
    )
  }
  return (
    <Stack gap={8}>
      <Text size="sm">
        {`Covers ${formatNumber(of.covered)} of ${plural(of.examined, 'decision')}: ${formatNumber(of.approved)} approved, ${formatNumber(of.denied)} denied.`}
        {then === 'auto' &&
          of.beyondCap > 0 &&
          ` ${plural(of.beyondCap, 'call')} would have been beyond the cap.`}
        {of.notEvaluated > 0 &&
          ` ${plural(of.notEvaluated, 'call')} could not be evaluated: ${of.firstFault}`}
        {of.more && ' Older decisions were not examined.'}
      </Text>
      {of.sum !== null && of.largest !== null && (
        <Facts of={{ Largest: formatNumber(of.largest), Sum: formatNumber(of.sum) }} />
      )}
      {of.perDay.length > 1 && (
        <BarChart
          title="Calls per day"
          slots={of.perDay}
          label={({ day }) => day}
          series={[{ name: 'Calls', colour: 'var(--accent)', of: ({ calls }) => calls }]}
        />
      )}
      {of.different.length > 0 && (
        <Text size="sm">
          People decided differently:{' '}
          {of.different.map(({ approvalId, decision }, at) => (
            <span key={approvalId}>
              {at > 0 && ', '}
              <Anchor component={Link} to={`/approvals/${approvalId}`} size="sm">
                {decision}
              </Anchor>
            </span>
          ))}
        </Text>
      )}
    </Stack>
  )
}
