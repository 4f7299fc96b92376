import {
  Alert,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import { Collapsible } from '../../ui/collapsible.tsx'
import { count } from '../../ui/count.ts'
import { hasErrorAt } from '../../ui/field-errors.ts'
import type { KeptForm } from '../../ui/use-kept-form.ts'
import { useMay } from '../accounts/use-me.ts'
import type { WebhookValues } from './webhook-values.ts'

const looksSecret = /auth|key|token|secret|cookie/i

export function DeliverySettings({ form, isNew }: { form: KeptForm<WebhookValues>; isNew: boolean }) {
  const admin = useMay('admin')
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
          description="Besides the usual event headers. Credential headers are withheld unless you name them here."
          placeholder="X-Store-Region"
          {...form.getInputProps('exposeHeaders')}
        />
        {revealed.length > 0 && (
          <Alert color="yellow" variant="outline">
            <Text size="sm">
              {revealed.join(', ')} may carry a secret, and the model will read it. To check a shared secret,
              Verification above is the safe way: the server compares it and the model never sees it.
            </Text>
          </Alert>
        )}
        <Select
          label="Delivery id"
          description="By this id a second delivery of the same thing is recognised and starts nothing."
          maw={360}
          allowDeselect={false}
          data={[
            { value: 'usual', label: "The sender's usual header" },
            { value: 'header', label: 'Another header' },
            { value: 'pointer', label: 'A field of the body' },
          ]}
          {...form.getInputProps('deliveryIdFrom')}
        />
        {deliveryIdFrom === 'header' && (
          <TextInput
            label="Header with the delivery id"
            placeholder="X-Request-Id"
            maw={360}
            {...form.getInputProps('deliveryId.header')}
          />
        )}
        {deliveryIdFrom === 'pointer' && (
          <TextInput
            label="Field with the delivery id"
            description="A JSON pointer."
            placeholder="/event/id"
            maw={360}
            {...form.getInputProps('deliveryId.pointer')}
          />
        )}
        <NumberInput
          label="Largest body in bytes"
          description="Anything larger is answered 413."
          maw={360}
          min={1}
          thousandSeparator=","
          {...form.getInputProps('maxBodyBytes')}
        />
        {admin && (
          <>
            <Select
              label="Rate limit"
              description="Deliveries beyond it are answered 429 and may be sent again later."
              maw={360}
              allowDeselect={false}
              data={[
                ...(isNew ? [{ value: 'default', label: 'Default: 10 per second, 100 at once' }] : []),
                { value: 'own', label: 'Its own limit' },
                { value: 'none', label: 'Unlimited' },
              ]}
              {...form.getInputProps('limit')}
            />
            {limit === 'own' && (
              <SimpleGrid cols={2} maw={360}>
                <NumberInput label="Per second" min={0} {...form.getInputProps('rateLimit.perSecond')} />
                <NumberInput label="At once" min={1} {...form.getInputProps('rateLimit.burst')} />
              </SimpleGrid>
            )}
          </>
        )}
        {!admin && (
          <Text size="xs" c="dimmed">
            {limit === 'none'
              ? 'Unlimited deliveries.'
              : `At most ${rateLimit.perSecond} deliveries per second.`}{' '}
            An admin changes the limit.
          </Text>
        )}
        <Switch
          label="The agent may stay silent"
          description="Normally every event gets a reply. With this, the prompt may tell the agent when to say nothing."
          {...form.getInputProps('allowSilence', { type: 'checkbox' })}
        />
      </Stack>
    </Collapsible>
  )
}

function summary({ limit, rateLimit, exposeHeaders, allowSilence }: WebhookValues): string {
  const words = [
    limit === 'none' ? 'no rate limit' : `${rateLimit.perSecond} per second`,
    allowSilence ? 'may stay silent' : 'always replies',
  ]
  if (exposeHeaders.length > 0) words.push(count(exposeHeaders.length, 'more header'))
  return words.join(', ')
}
