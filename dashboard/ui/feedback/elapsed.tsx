import { Text } from '@mantine/core'
import { useNow } from './use-now.ts'

type Props = {
  /** When it began, in milliseconds. */
  since: number
  doing: string
  /** What to expect. */
  hint: string
}

/** For work that may take long: that it goes on, and since when. Nothing in the first seconds. */
export function Elapsed({ since, doing, hint }: Props) {
  const seconds = Math.round((useNow() - since) / 1000)
  if (seconds < 3) return null
  return (
    <Text size="xs" c="dimmed" role="status">
      {doing} for {seconds} s. {hint}
    </Text>
  )
}
