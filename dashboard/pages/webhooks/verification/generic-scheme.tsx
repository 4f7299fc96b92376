import { Select, SimpleGrid, TextInput } from '@mantine/core'
import { type NumberField, NumberFields } from '../../../ui/forms/number-fields.tsx'
import type { DraftForm } from '../../../ui/forms/use-draft-form.ts'
import type { WebhookValues } from '../form/webhook-values.ts'

const toleranceFields: NumberField[] = [
  {
    path: 'verification.toleranceSeconds',
    label: 'Tolerance',
    description: 'Older timestamps are rejected.',
    unit: 'seconds',
  },
]

/** A signature scheme without a preset, field by field. */
export function GenericScheme({ form }: { form: DraftForm<WebhookValues> }) {
  const field = (name: string) => form.getInputProps(`verification.${name}`)
  const { algorithm, listKey, timestampHeader, timestampListKey, timestampPointer } = form.values.verification
  const hasTime = timestampHeader !== '' || timestampListKey !== '' || timestampPointer !== ''
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, md: 3 }}>
      <Select
        label="Algorithm"
        data={[
          { value: 'hmac-sha256', label: 'HMAC SHA-256' },
          { value: 'hmac-sha512', label: 'HMAC SHA-512' },
          { value: 'hmac-sha1', label: 'HMAC SHA-1' },
          { value: 'ed25519', label: 'Ed25519' },
          { value: 'equality', label: 'Header equals the secret' },
        ]}
        allowDeselect={false}
        {...field('algorithm')}
      />
      <Select
        label="Secret encoding"
        data={[
          { value: 'utf-8', label: 'Text' },
          { value: 'base64', label: 'Base64' },
          { value: 'hex', label: 'Hex' },
        ]}
        allowDeselect={false}
        {...field('keyEncoding')}
      />
      <Select
        label="Signature encoding"
        data={['hex', 'hex-upper', 'base64', 'base64url']}
        allowDeselect={false}
        {...field('encoding')}
      />
      <TextInput label="Signature prefix" placeholder="sha256=" {...field('prefix')} />
      <TextInput
        label="Signature key in the list"
        description="Only if the header is a list such as t=1,v1=abc."
        placeholder="v1"
        {...field('listKey')}
      />
      {algorithm !== 'equality' && (
        <TextInput
          label="Signed content"
          description="{body} {ts} {method} {url} {header:X} and literal text."
          {...field('template')}
        />
      )}
      <TextInput
        label="Timestamp header"
        description="Only if the sender signs a timestamp."
        placeholder="X-Timestamp"
        {...field('timestampHeader')}
      />
      {listKey !== '' && (
        <TextInput
          label="Timestamp key in the list"
          description="Only if the timestamp is in the same list."
          placeholder="t"
          {...field('timestampListKey')}
        />
      )}
      <TextInput
        label="Timestamp field in the body"
        description="A JSON pointer. Only if the timestamp is in the body."
        placeholder="/sentAt"
        {...field('timestampPointer')}
      />
      {hasTime && (
        <>
          <Select
            label="Timestamp format"
            data={[
              { value: 's', label: 'Seconds' },
              { value: 'ms', label: 'Milliseconds' },
              { value: 'iso', label: 'ISO 8601' },
            ]}
            allowDeselect={false}
            {...field('timestampUnit')}
          />
          <NumberFields form={form} fields={toleranceFields} cols={1} />
        </>
      )}
    </SimpleGrid>
  )
}
