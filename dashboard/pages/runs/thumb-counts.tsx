import { Text } from '@mantine/core'
import { IconThumbDown, IconThumbUp } from '@tabler/icons-react'
import type { Run } from '../../contract.ts'

/** `👍 2 👎 1`; nothing where nobody has rated. */
export function ThumbCounts({ thumbs }: { thumbs: NonNullable<Run['thumbs']> }) {
  const kinds = [
    { thumb: 'up', label: 'good', Icon: IconThumbUp },
    { thumb: 'down', label: 'bad', Icon: IconThumbDown },
  ] as const
  return kinds.map(({ thumb, label, Icon }) => {
    const count = thumbs.filter((one) => one.thumb === thumb).length
    return count === 0 ? null : (
      <Text key={thumb} span size="sm" mr={6}>
        <Icon size="0.875rem" stroke={1.5} aria-label={label} /> {count}
      </Text>
    )
  })
}
