import { Button, Popover, Stack } from '@mantine/core'
import { IconCalendar } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useFilter } from '../../hooks/use-filter.ts'
import { DateTimeInput } from '../../ui/forms/date-time-input.tsx'
import { perLocale } from '../../ui/text/locale.ts'

/** The filters `from` and `to` of a list, in one button. */
export function DateRange() {
  const [from, setFrom] = useFilter('from')
  const [to, setTo] = useFilter('to')
  const navigate = useNavigate()
  const isSet = from !== undefined || to !== undefined
  return (
    <Popover position="bottom-start" shadow="none" trapFocus>
      <Popover.Target>
        <Button
          size="xs"
          variant={isSet ? 'light' : 'default'}
          fw={400}
          leftSection={<IconCalendar size="0.875rem" aria-hidden />}
        >
          {inWords(from, to)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Dates">
        <Stack gap={8} align="flex-start">
          <DateTimeInput label="From" value={from} onChange={setFrom} />
          <DateTimeInput label="To" value={to} onChange={setTo} />
          {isSet && (
            <Button
              size="compact-xs"
              variant="subtle"
              onClick={() =>
                void navigate({
                  to: '.',
                  search: (old: Record<string, unknown>) => ({ ...old, from: undefined, to: undefined }),
                  replace: true,
                })
              }
            >
              Any time
            </Button>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

const moments = perLocale(
  (tag) =>
    new Intl.DateTimeFormat(tag, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' }),
)

function inWords(from: string | undefined, to: string | undefined): string {
  const [begin, end] = [new Date(from ?? ''), new Date(to ?? '')]
  const [hasBegin, hasEnd] = [!Number.isNaN(begin.getTime()), !Number.isNaN(end.getTime())]
  if (hasBegin && hasEnd) return moments().formatRange(begin, end)
  if (hasBegin) return `Since ${moments().format(begin)}`
  return hasEnd ? `Until ${moments().format(end)}` : 'Any time'
}
