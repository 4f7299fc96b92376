import { Flex } from '@mantine/core'
import { DateTimeInput } from '../../ui/date-time-input.tsx'
import { useFilter } from '../../use-filter.ts'

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
