import { Text } from '@mantine/core'
import { conditionPath } from '../../../../src/shared/condition-path.ts'
import { itemsOf } from '../../../hooks/use-api.ts'
import { RawView } from '../../../ui/code/raw-view.tsx'
import type { ConditionField } from '../../../ui/forms/conditions/condition-terms.ts'
import { isJson } from '../../../ui/text/is-json.ts'
import { useEventBody, useEvents } from '../../events/use-events.ts'
import type { Source } from '../sources/sources.ts'

const mostFields = 60
const example = '{"event":"order.created","order":{"id":"A-1042","total":129.5,"customer":"c_881"}}'

type Props = { webhookId: string | null; source: Source | null }

/** The latest event, or an example until there is one. */
function useSample({ webhookId, source }: Props): { isExample: boolean; text: string } {
  const events = useEvents(webhookId ? { webhookId } : { webhookId: 'none' }, webhookId !== null)
  const last = itemsOf(events).find(({ erased }) => !erased)
  const body = useEventBody(last?.id ?? null, { follows: true })
  if (last && body.data) return { isExample: false, text: new TextDecoder().decode(body.data) }
  return { isExample: true, text: source ? JSON.stringify(source.sample) : example }
}

/** What conditions can compare, as the latest event or the example has it. */
export function useEventFields(of: Props): ConditionField[] {
  const { text } = useSample(of)
  return isJson(text) ? fieldsIn(JSON.parse(text), 'event').slice(0, mostFields) : []
}

function fieldsIn(value: unknown, path: string): ConditionField[] {
  if (typeof value !== 'object' || value === null) return [{ path, type: typeof value }]
  // The first of a list stands for the others.
  if (Array.isArray(value)) return value.length === 0 ? [] : fieldsIn(value[0], `${path}[0]`)
  return Object.entries(value).flatMap(([name, part]) => fieldsIn(part, conditionPath(path, name)))
}

/** Beside the prompt: what the agent will read. */
export function SampleEvent({ webhookId, source }: Props) {
  const { isExample, text } = useSample({ webhookId, source })
  return (
    <>
      <Text fw={500} mb={2}>
        What the agent reads
      </Text>
      <Text size="xs" c="dimmed" mb={4}>
        {isExample
          ? `An example${source ? ` of ${source.label}` : ''}. Your latest event appears here once there is one.`
          : 'Your latest event'}
      </Text>
      <RawView what={isExample ? 'Example' : 'Latest event'} text={text} json maxHeight={320} />
    </>
  )
}
