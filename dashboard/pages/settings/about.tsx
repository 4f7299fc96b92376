import { Anchor, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { BellMark } from '../../ui/bell-mark.tsx'
import { Facts } from '../../ui/facts.tsx'
import { useMay } from '../accounts/use-me.ts'
import { useSettings } from './use-settings.ts'

type Described = { info: { version: string } }

export function About() {
  const operator = useMay('operator')
  const settings = useSettings()
  const ready = useQuery({
    queryKey: ['/readyz'],
    queryFn: async () => (await fetch('/readyz')).ok,
    refetchInterval: 10_000,
  })
  const version = useQuery({
    queryKey: ['/api/openapi.json'],
    queryFn: async () => ((await (await fetch('/api/openapi.json')).json()) as Described).info.version, // OpenAPI requires it
  })
  return (
    <Stack maw={560}>
      <BellMark size={32} />
      <Text>
        Bellhop is an agent for your team's chat. It uses your APIs as tools, is rung by webhooks, and answers
        in a channel. Nothing irreversible happens without an admin's yes.
      </Text>
      <Facts
        of={{
          Version: version.data ?? '…',
          Database: ready.data === undefined ? '…' : ready.data ? 'answers' : 'does not answer',
          Model: operator ? settings.data?.model.label : null,
          Address: location.origin,
          API: (
            <Anchor href="/api/docs" target="_blank">
              Reference
            </Anchor>
          ),
        }}
      />
    </Stack>
  )
}
