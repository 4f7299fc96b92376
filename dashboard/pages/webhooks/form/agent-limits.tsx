import { Radio, SimpleGrid, Stack, Text } from '@mantine/core'
import { hasErrorAt } from '../../../ui/forms/field-errors.ts'
import { type NumberField, NumberFields } from '../../../ui/forms/number-fields.tsx'
import type { DraftForm } from '../../../ui/forms/use-draft-form.ts'
import { Collapsible } from '../../../ui/layout/collapsible.tsx'
import { plural } from '../../../ui/text/plural.ts'
import { useHasRole } from '../../accounts/use-me.ts'
import { ConnectorScope } from '../../connectors/connector-scope.tsx'
import { ReadsAcross } from '../../connectors/reads-across.tsx'
import { ModelChoice } from '../../settings/model/model-choice.tsx'
import type { WebhookValues } from './webhook-values.ts'

/** What a webhook and a schedule have in common. */
type LimitValues = Pick<WebhookValues, 'ceiling' | 'connectorIds' | 'model'> &
  Partial<Pick<WebhookValues, 'readsAcross' | 'fallbackModel'>>
type Props<V extends LimitValues> = {
  form: DraftForm<V>
  what: 'webhook' | 'schedule'
  numbers: NumberField[]
}

const ceilings = [
  { value: 'read', label: 'Read', words: 'Look things up only.' },
  { value: 'write', label: 'Write', words: 'Request changes. An admin approves each one.' },
  {
    value: 'destructive',
    label: 'Destructive',
    words: 'Also request actions that cannot be undone. An admin confirms each one in the channel.',
  },
] as const

export function AgentLimits<V extends LimitValues>({ form, what, numbers }: Props<V>) {
  const admin = useHasRole('admin')
  const { ceiling, connectorIds, readsAcross, fallbackModel } = form.values
  const tools = connectorIds === null ? 'connectors of the channel' : plural(connectorIds.length, 'connector')
  return (
    <Collapsible
      title="Permissions and limits"
      summary={`Up to ${ceiling}, ${tools}${readsAcross === 'one' ? ', one at a time' : ''}`}
      faulty={hasErrorAt(
        form.errors,
        'ceiling',
        'connectorIds',
        'readsAcross',
        'model',
        'fallbackModel',
        ...numbers.map(({ path }) => path),
      )}
    >
      <Stack>
        <Radio.Group
          label="Maximum permission"
          description={`What runs of this ${what} may do at most.`}
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
            Only admins can choose Destructive.
          </Text>
        )}
        <ConnectorScope
          description={`Connectors that runs of this ${what} may use.`}
          usual="The channel's connectors (all by default)"
          {...form.getInputProps('connectorIds')}
          value={connectorIds}
        />
        {readsAcross && (
          <ReadsAcross
            description="Once a run has read from one connector, a call of another one waits for an admin. What was read cannot leave through another service unseen."
            {...form.getInputProps('readsAcross')}
            value={readsAcross}
          />
        )}
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <ModelChoice
            description="Leave empty to use the default model."
            placeholder="Default model"
            provider={form.values.model.provider}
            field={(name) => form.getInputProps(`model.${name}`)}
          />
        </SimpleGrid>
        {fallbackModel && (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <ModelChoice
              label="Fallback"
              description="Answers when the model does not. Leave empty to use the default fallback."
              placeholder="Default fallback"
              provider={fallbackModel.provider}
              field={(name) => form.getInputProps(`fallbackModel.${name}`)}
            />
          </SimpleGrid>
        )}
        <NumberFields form={form} fields={numbers} cols={{ base: 1, sm: 3 }} />
      </Stack>
    </Collapsible>
  )
}
