import { ActionIcon } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { useFilter } from '../../../hooks/use-filter.ts'
import { Hint } from '../../../ui/layout/hint.tsx'

/** Opens what the channel is beside its conversation. */
export function ShowAbout() {
  const [about, setAbout] = useFilter('about', 'push')
  return (
    <Hint label="About this channel">
      <ActionIcon
        variant="default"
        aria-label="About this channel"
        aria-expanded={about !== undefined}
        onClick={() => setAbout(about === undefined ? '1' : null)}
      >
        <IconInfoCircle size="1rem" aria-hidden />
      </ActionIcon>
    </Hint>
  )
}
