import { Flex } from '@mantine/core'
import { useFilter } from '../../hooks/use-filter.ts'
import { DateTimeInput } from '../../ui/forms/date-time-input.tsx'

/** The filters `from` and `to` of a list. */
export function DateRange() {
  const [from, setFrom] = useFilter('from')
  const [to, setTo] = useFilter('to')
  return (
    // One below the other or side by side, never torn apart.
    <Flex gap={8} wrap={{ base: 'wrap', xs: 'nowrap' }} w={{ base: '100%', xs: 'auto' }}>
      <DateTimeInput label="From" value={from} onChange={setFrom} />
      <DateTimeInput label="To" value={to} onChange={setTo} />
    </Flex>
  )
}
