import { Code, Text } from '@mantine/core'

/** A warning beside a URL that is meant for others but that only this machine can reach. */
export function LocalAddress({ url }: { url: string }) {
  if (!/^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/.test(url)) return null
  return (
    <Text size="xs" c="dimmed">
      Only this computer can reach this address. For others, start the server with <Code>PUBLIC_URL</Code>,
      the address that they use, and <Code>HOST=0.0.0.0</Code> or a proxy in front of it.
    </Text>
  )
}
