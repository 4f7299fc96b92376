import { Alert, Select, Stack, Switch, TagsInput, Text, TextInput } from '@mantine/core'
import { hasErrorAt } from '../../../ui/forms/field-errors.ts'
import { type NumberField, NumberFields } from '../../../ui/forms/number-fields.tsx'
import type { DraftForm } from '../../../ui/forms/use-draft-form.ts'
import { Collapsible } from '../../../ui/layout/collapsible.tsx'
import { plural } from '../../../ui/text/plural.ts'
import { useHasRole } from '../../accounts/use-me.ts'
import type { WebhookValues } from './webhook-values.ts'

const looksSecret = /auth|key|token|secret|cookie/i

const bodySize: NumberField[] = [
  {
    path: 'maxBodyBytes',
    label: 'Maximum body size',
    unit: 'bytes',
    description: 'Larger requests are rejected (413).',
    min: 1,
    optional: true,
  },
]
const rates: NumberField[] = [
  { path: 'rateLimit.perSecond', label: 'Per second', min: 0 },
  { path: 'rateLimit.burst', label: 'Burst', min: 1 },
]

export function DeliverySettings({ form, isNew }: { form: DraftForm<WebhookValues>; isNew: boolean }) {
  const admin = useHasRole('admin')
  const { limit, rateLimit, exposeHeaders, deliveryIdFrom } = form.values
  const revealed = exposeHeaders.filter((name) => looksSecret.test(name))
  return (
    <Collapsible
      title="Delivery and reply"
      summary={summary(form.values)}
      faulty={hasErrorAt(
        form.errors,
        'exposeHeaders',
        'deliveryId',
        'maxBodyBytes',
        'rateLimit',
        'allowSilence',
      )}
    >
      <Stack>
        <TagsInput
          label="Headers shown to the agent"
          description="In addition to common event headers. Headers with credentials are hidden unless listed here."
          placeholder="X-Store-Region"
          {...form.getInputProps('exposeHeaders')}
        />
        {revealed.length > 0 && (
          <Alert color="yellow" variant="outline">
            <Text size="sm">
              {revealed.join(', ')} may contain a secret that the model will read. To check a shared secret,
              use Verification instead: the server compares it, and the model never sees it.
            </Text>
          </Alert>
        )}
        <Select
          label="Delivery ID"
          description="Deliveries with the same ID are processed only once."
          maw={360}
          allowDeselect={false}
          data={[
            { value: 'usual', label: "The sender's standard header" },
            { value: 'header', label: 'Another header' },
            { value: 'pointer', label: 'A field in the body' },
          ]}
          {...form.getInputProps('deliveryIdFrom')}
        />
        {deliveryIdFrom === 'header' && (
          <TextInput
            label="Delivery ID header"
            placeholder="X-Request-Id"
            maw={360}
            {...form.getInputProps('deliveryId.header')}
          />
        )}
        {deliveryIdFrom === 'pointer' && (
          <TextInput
            label="Delivery ID field"
            description="A JSON pointer, e.g. /event/id"
            placeholder="/event/id"
            maw={360}
            {...form.getInputProps('deliveryId.pointer')}
          />
        )}
        <NumberFields form={form} fields={bodySize} cols={1} maw={360} />
        {admin && (
          <>
            <Select
              label="Rate limit"
              description="Deliveries above the limit get 429, and the sender can retry later."
              maw={360}
              allowDeselect={false}
              data={[
                ...(isNew ? [{ value: 'default', label: 'Default: 10 per second, bursts of 100' }] : []),
                { value: 'own', label: 'Custom' },
                { value: 'none', label: 'Unlimited' },
              ]}
              {...form.getInputProps('limit')}
            />
            {limit === 'own' && <NumberFields form={form} fields={rates} cols={2} maw={360} />}
          </>
        )}
        {!admin && (
          <Text size="xs" c="dimmed">
            {limit === 'none'
              ? 'Deliveries are unlimited.'
              : `Up to ${rateLimit.perSecond} deliveries per second.`}{' '}
            Only admins can change the limit.
          </Text>
        )}
        <Switch
          label="Replies are optional"
          description="By default every event gets a reply. Turn this on to let the prompt decide when not to reply."
          {...form.getInputProps('allowSilence', { type: 'checkbox' })}
        />
      </Stack>
    </Collapsible>
  )
}

function summary({ limit, rateLimit, exposeHeaders, allowSilence }: WebhookValues): string {
  const words = [
    limit === 'none' ? 'No rate limit' : `${rateLimit.perSecond} per second`,
    allowSilence ? 'replies are optional' : 'always replies',
  ]
  if (exposeHeaders.length > 0) words.push(plural(exposeHeaders.length, 'extra header'))
  return words.join(', ')
}
