import {
  Button,
  Group,
  MultiSelect,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api.ts'
import type { LedgerEvent } from '../../contract.ts'
import { Failed } from '../../ui/failed.tsx'
import { Folded } from '../../ui/folded.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { Shown } from '../../ui/shown.tsx'
import { useMay } from '../accounts/use-me.ts'
import { useConnectorOptions } from '../connectors/use-connectors.ts'
import { RunStatusBadge } from '../runs/run-status.tsx'
import { useRun } from '../runs/use-runs.ts'
import { providerOptions } from '../settings/providers.ts'
import { useWebhook } from '../webhooks/use-webhooks.ts'
import classes from './replay-lab.module.css'

/** The same event against a draft prompt, model or tool set: nothing is posted, nothing is changed, the outcomes stand side by side. */
export function ReplayLab({ event }: { event: LedgerEvent }) {
  const operator = useMay('operator')
  const webhook = useWebhook(operator ? event.webhookId : null)
  const [prompt, setPrompt] = useState<string | null>(null)
  const [provider, setProvider] = useState<string | null>(null)
  const [name, setName] = useState('')
  const [connectorIds, setConnectorIds] = useState<string[]>([])
  const [recorded, setRecorded] = useState(false)
  const connectors = useConnectorOptions()
  const draft = prompt ?? webhook.data?.prompt ?? ''
  const attempt = useMutation({
    mutationFn: () =>
      call<{ runId?: string; id?: string }>('POST', `/events/${event.id}/replay`, {
        dryRun: true,
        prompt: draft,
        reads: recorded ? 'recorded' : 'real',
        ...(provider ? { model: { provider, name: name.trim() } } : {}),
        ...(connectorIds.length > 0 ? { connectorIds } : {}),
      }),
  })
  if (!operator) return null
  const replayId = attempt.data ? (attempt.data.runId ?? attempt.data.id ?? null) : null
  return (
    <Folded title="Replay lab" summary="Try another prompt on this event; nothing is posted or changed">
      <Stack>
        <Textarea
          label="Draft prompt"
          description="The webhook keeps its own prompt. Copy this one there when you like the outcome."
          autosize
          minRows={3}
          maxRows={12}
          value={draft}
          onChange={(change) => setPrompt(change.currentTarget.value)}
        />
        <Group align="flex-end">
          <Select
            label="Model"
            description="Empty means the webhook's model."
            placeholder="As it was"
            clearable
            w={280}
            data={providerOptions}
            value={provider}
            onChange={setProvider}
          />
          {provider && provider !== 'offline' && (
            <TextInput
              label="Model name"
              w={280}
              value={name}
              onChange={(change) => setName(change.currentTarget.value)}
            />
          )}
          <MultiSelect
            label="Connectors"
            description="Empty means the webhook's connectors."
            placeholder={connectorIds.length === 0 ? 'As it was' : ''}
            clearable
            w={280}
            data={connectors}
            value={connectorIds}
            onChange={setConnectorIds}
          />
        </Group>
        <Switch
          label="Read from the recording"
          description="Tools answer as they did then, so that only the draft makes a difference."
          checked={recorded}
          onChange={(change) => setRecorded(change.currentTarget.checked)}
        />
        {attempt.error && <Failed error={attempt.error} />}
        <Group>
          <Button variant="default" loading={attempt.isPending} onClick={() => attempt.mutate()}>
            Try it
          </Button>
        </Group>
        {replayId && (
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <Outcome title="Then" runId={event.runId} />
            <Outcome title="With the draft" runId={replayId} />
          </SimpleGrid>
        )}
      </Stack>
    </Folded>
  )
}

function Outcome({ title, runId }: { title: string; runId: string | null }) {
  const run = useRun(runId)
  return (
    <div className={classes.outcome}>
      {runId === null ? (
        <Text c="dimmed">There is no run to compare with.</Text>
      ) : (
        <Shown query={run} rows={3}>
          {(value) => (
            <Stack gap={8}>
              <Group gap={8}>
                <Text fw={500}>{title}</Text>
                <RunStatusBadge status={value.status} />
                <Text size="xs" c="dimmed">
                  {value.toolCalls.length} tool calls
                </Text>
              </Group>
              {value.reply ? (
                <Markdown text={value.reply.text} />
              ) : (
                <Text c="dimmed">{value.error?.message ?? 'No reply yet.'}</Text>
              )}
            </Stack>
          )}
        </Shown>
      )}
    </div>
  )
}
