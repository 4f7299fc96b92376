import { NumberInput, Radio, SimpleGrid, Stack, Text } from '@mantine/core'
import { Collapsible } from '../../ui/collapsible.tsx'
import { count } from '../../ui/count.ts'
import { hasErrorAt } from '../../ui/field-errors.ts'
import type { KeptForm } from '../../ui/use-kept-form.ts'
import { useMay } from '../accounts/use-me.ts'
import { ConnectorScope } from '../connectors/connector-scope.tsx'
import { ModelChoice } from '../settings/model-choice.tsx'
import type { WebhookValues } from './webhook-values.ts'

const ceilings = [
  { value: 'read', label: 'Read', words: 'The agent only looks things up.' },
  { value: 'write', label: 'Write', words: 'It may ask to change things; an admin approves each change.' },
  {
    value: 'destructive',
    label: 'Destructive',
    words: 'It may also ask for what cannot be undone; an admin confirms each call in the channel.',
  },
] as const

export function AgentLimits({ form }: { form: KeptForm<WebhookValues> }) {
  const admin = useMay('admin')
  const { ceiling, connectorIds } = form.values
  const tools = connectorIds === null ? 'connectors of the channel' : count(connectorIds.length, 'connector')
  return (
    <Collapsible
      title="What the agent may do"
      summary={`up to ${ceiling}, ${tools}`}
      faulty={hasErrorAt(
        form.errors,
        'ceiling',
        'connectorIds',
        'model',
        'concurrency',
        'runsPerHour',
        'costPerDay',
      )}
    >
      <Stack>
        <Radio.Group
          label="Ceiling"
          description="The strongest kind of tool that an event of this webhook can lead to."
          {...form.getInputProps('ceiling')}
        >
          <Stack gap={8} mt={8}>
            {ceilings.map(({ value, label, words }) => (
              <Radio
                key={value}
                value={value}
                label={label}
                description={words}
                disabled={value === 'destructive' && !admin && form.values.ceiling !== 'destructive'}
              />
            ))}
          </Stack>
        </Radio.Group>
        {!admin && (
          <Text size="xs" c="dimmed">
            Only an admin sets the ceiling to destructive.
          </Text>
        )}
        <ConnectorScope
          description="Which connectors its runs may use."
          usual="Those of its channel, usually all"
          {...form.getInputProps('connectorIds')}
          value={connectorIds}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <ModelChoice
            description="Empty means the model of the settings."
            placeholder="As in the settings"
            provider={form.values.model.provider}
            field={(name) => form.getInputProps(`model.${name}`)}
          />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, sm: 3 }} style={{ alignItems: 'end' }}>
          <NumberInput
            label="Runs at once"
            description="Further events wait. The default is 4."
            min={1}
            {...form.getInputProps('concurrency')}
          />
          <NumberInput
            label="Runs per hour"
            description="Beyond it the webhook pauses. Empty means no limit."
            min={1}
            {...form.getInputProps('runsPerHour')}
          />
          <NumberInput
            label="Cost per day"
            description="In US dollars. Empty means no limit."
            min={0}
            {...form.getInputProps('costPerDay')}
          />
        </SimpleGrid>
      </Stack>
    </Collapsible>
  )
}
