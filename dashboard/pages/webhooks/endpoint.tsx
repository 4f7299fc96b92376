import { Alert, Anchor, Button, Code, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Snippet, Webhook } from '../../contract.ts'
import { useOne } from '../../hooks/use-api.ts'
import { RawView } from '../../ui/code/raw-view.tsx'
import { Loading } from '../../ui/feedback/loading.tsx'
import { Facts } from '../../ui/layout/facts.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { formatNumber } from '../../ui/text/format-number.ts'
import { LocalAddress } from '../../ui/text/local-address.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { SenderSteps } from './sources/sender-steps.tsx'
import { useEndpointUrl } from './use-endpoint-url.ts'
import { WebhookState } from './webhook-state.tsx'

/** The URL and what came to it. Where its events go is in the picture of the flow. */
export function Endpoint({ webhook }: { webhook: Webhook }) {
  const { fullUrl, shown, reveal } = useEndpointUrl(webhook)
  return (
    <Stack gap={8}>
      <Facts
        of={{
          URL: (
            <Group gap={8}>
              <Code fz={13} style={{ overflowWrap: 'anywhere' }}>
                {shown}
              </Code>
              {fullUrl ? (
                <CopyButton value={fullUrl} what="URL" labelled />
              ) : (
                <Button
                  variant="default"
                  size="xs"
                  loading={reveal.isPending}
                  onClick={() => reveal.mutate()}
                >
                  Show full URL
                </Button>
              )}
            </Group>
          ),
          State: webhook.active ? null : (
            <Group gap={8}>
              <WebhookState webhook={webhook} />
              <Text size="xs">Refuses events until you turn it on at the top of the page.</Text>
            </Group>
          ),
          'Last event': <RelativeTime at={webhook.lastEventAt} />,
          Deliveries: (
            <>
              {formatNumber(webhook.accepted)} accepted,{' '}
              {webhook.refused === 0 ? (
                '0 refused'
              ) : (
                <Anchor component={Link} to="." search={{ tab: 'refused' } as never}>
                  {formatNumber(webhook.refused)} refused
                </Anchor>
              )}
            </>
          ),
        }}
      />
      <LocalAddress url={webhook.endpointUrl} />
      {webhook.formerUrls.map((former) => (
        <Alert key={former.endpointUrl} color="yellow" variant="outline" title="The old URL still works">
          It stops working <RelativeTime at={former.expiresAt} none="when the URL is rotated again" />. Last
          used: <RelativeTime at={former.lastUsedAt} />
          {former.lastUsedFrom ? ` from ${former.lastUsedFrom}` : ''}.
        </Alert>
      ))}
    </Stack>
  )
}

/** What to do at the sender, or in code. */
export function HowToSend({ webhook }: { webhook: Webhook }) {
  const { fullUrl, shown } = useEndpointUrl(webhook)
  const [language, setLanguage] = useState('curl')
  const snippets = useOne<{ items: Snippet[] }>(`/webhooks/${webhook.id}/snippets`)
  const ways = snippets.data?.items ?? []
  const way = ways.find(({ name }) => name === language) ?? ways[0]
  // A workflow takes the URL from the repository's secrets, so its example is complete at any time.
  const isIncomplete = !fullUrl && way?.text.includes(webhook.endpointUrl)
  return (
    <Stack gap="lg">
      <SenderSteps webhook={webhook} fullUrl={fullUrl} />
      <Stack gap={8}>
        <Group justify="space-between">
          <Title order={2}>Example request</Title>
          {ways.length > 1 && (
            <SegmentedControl
              size="xs"
              aria-label="Example language"
              value={way?.name ?? 'curl'}
              onChange={setLanguage}
              data={ways.map(({ name }) => ({ value: name, label: name }))}
            />
          )}
        </Group>
        {snippets.isPending && <Loading rows={6} />}
        {way && (
          <RawView
            what={`${way.name} example`}
            text={way.text.replaceAll(webhook.endpointUrl, shown)}
            masked={isIncomplete}
          />
        )}
        {way?.language !== 'yaml' && way?.text.includes('WEBHOOK_SECRET') && (
          <Text size="xs" c="dimmed">
            The example reads the secret entered under Verification from the environment:{' '}
            <Code>export WEBHOOK_SECRET=…</Code>
          </Text>
        )}
        {isIncomplete && (
          <Text size="xs" c="dimmed">
            Show the full URL above to complete the example. The audit log records that you viewed it.
          </Text>
        )}
      </Stack>
    </Stack>
  )
}
