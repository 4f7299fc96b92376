import { Code, Text } from '@mantine/core'

/** A warning beside a URL that is meant for others but that only this machine can reach. */
export function LocalAddress({ url }: { url: string }) {
  if (!isLocalAddress(url)) return null
  return (
    <Text size="xs" c="dimmed">
      Only this computer can reach this address. To let others reach it, set <Code>PUBLIC_URL</Code> to the
      address they use, and set <Code>HOST=0.0.0.0</Code> or put a reverse proxy in front.
    </Text>
  )
}

export function isLocalAddress(url: string): boolean {
  return /^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/.test(url)
}
