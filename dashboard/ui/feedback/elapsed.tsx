import { Text } from '@mantine/core'
import { useEffect, useState } from 'react'

type Props = {
  /** When it began, in milliseconds. */
  since: number
  doing: string
  /** What to expect. */
  hint: string
}

/** For work that may take long: that it goes on, and since when. Nothing in the first seconds. */
export function Elapsed({ since, doing, hint }: Props) {
  const [now, setNow] = useState(since)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.round((now - since) / 1000)
  if (seconds < 3) return null
  return (
    <Text size="xs" c="dimmed" role="status">
      {doing} for {seconds} s. {hint}
    </Text>
  )
}
