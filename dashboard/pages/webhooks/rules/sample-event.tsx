import { Text } from '@mantine/core'
import { itemsOf } from '../../../hooks/use-api.ts'
import { RawView } from '../../../ui/code/raw-view.tsx'
import { useEventBody, useEvents } from '../../events/use-events.ts'
import type { Source } from '../sources/sources.ts'

const example = '{"event":"order.created","order":{"id":"A-1042","total":129.5,"customer":"c_881"}}'

/** Beside the prompt: what the agent will read. The latest event, or an example until there is one. */
type Props = { webhookId: string | null; source: Source | null }

export function SampleEvent({ webhookId, source }: Props) {
  const events = useEvents(webhookId ? { webhookId } : { webhookId: 'none' }, webhookId !== null)
  const last = itemsOf(events).find(({ erased }) => !erased)
  const body = useEventBody(last?.id ?? null, { follows: true })
  const text = last && body.data ? new TextDecoder().decode(body.data) : null
  return (
    <>
      <Text fw={500} mb={2}>
        What the agent reads
      </Text>
      <Text size="xs" c="dimmed" mb={4}>
        {text === null
          ? `An example${source ? ` of ${source.label}` : ''}. Your latest event appears here once there is one.`
          : 'Your latest event'}
      </Text>
      <RawView
        what={text === null ? 'Example' : 'Latest event'}
        text={text ?? (source ? JSON.stringify(source.sample) : example)}
        json
        maxHeight={320}
      />
    </>
  )
}
