import {
  Fieldset,
  Grid,
  Group,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { conditionPath } from '../../../src/shared/condition-path.ts'
import { call } from '../../api.ts'
import type { CallableTool, Channel, Connector, Policy, Webhook } from '../../contract.ts'
import { useOne } from '../../hooks/use-api.ts'
import { useChoices } from '../../hooks/use-choices.ts'
import { ConditionBuilder } from '../../ui/forms/conditions/condition-builder.tsx'
import { FormFoot } from '../../ui/forms/form-foot.tsx'
import { useDraftForm } from '../../ui/forms/use-draft-form.ts'
import { ApproverFields } from '../approvals/approvers/approver-fields.tsx'
import { inputsOf } from '../connectors/tools/inputs-of.ts'
import { Backtest } from './backtest.tsx'
import { decisionLabels } from './policy-text.ts'
import { type PolicyValues, policyErrors, toInput } from './policy-values.ts'

type Props = {
  /** Null for a new one. */
  id: string | null
  initialValues: PolicyValues
  /** What the button of a new one says. */
  save?: string | undefined
  onSaved: (policy: Policy) => void
}

const requesterOptions = [
  { value: 'person', label: 'People' },
  { value: 'webhook', label: 'Webhooks' },
  { value: 'schedule', label: 'Schedules' },
  { value: 'watch', label: 'Watched channels' },
]

export function PolicyForm({ id, initialValues, save: saveLabel = 'Create policy', onSaved }: Props) {
  const queries = useQueryClient()
  const form = useDraftForm({ key: `policy-${id ?? 'new'}`, initialValues, validate: policyErrors })
  const save = useMutation({
    mutationFn: (values: PolicyValues) =>
      id === null
        ? call<Policy>('POST', '/policies', toInput(values))
        : call<Policy>('PATCH', `/policies/${id}`, toInput(values)),
    onSuccess: (policy, values) => {
      if (id === null) form.discard()
      else form.markSaved(values)
      onSaved(policy)
      void queries.invalidateQueries({ queryKey: ['/policies'] })
    },
    onError: form.showErrors,
  })
  const isAutomatic = form.values.then === 'auto'
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack>
            <TextInput label="Name" placeholder="Small refunds" {...form.getInputProps('name')} />
            <ToolSelect {...form.getInputProps('tool')} />
            <Textarea
              label="When"
              description="A CEL condition on input, tool and requester. If a field is missing, people are asked."
              placeholder="input.amount <= 50 && input.currency == 'EUR'"
              autosize
              minRows={2}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
              {...form.getInputProps('when')}
            />
            <Condition form={form} />
            <Select
              label="Then"
              data={Object.entries(decisionLabels).map(([value, label]) => ({ value, label }))}
              allowDeselect={false}
              {...form.getInputProps('then')}
            />
            {isAutomatic && <Cap form={form} />}
            <Scope form={form} />
            {form.values.then !== 'deny' && (
              <Fieldset legend="Approvers">
                <Text size="xs" c="dimmed" mb={8}>
                  {isAutomatic ? 'For calls beyond the cap. ' : ''}Empty fields use the settings of the tool.
                </Text>
                <ApproverFields
                  value={form.values.approval}
                  onChange={(approval) => form.setFieldValue('approval', approval)}
                  otherwise={{ approvers: 'Same as the tool', own: 'Same as the tool' }}
                />
              </Fieldset>
            )}
            <TextInput
              type="datetime-local"
              label="Ends (optional)"
              w={240}
              {...form.getInputProps('until')}
            />
            <div>
              <Text size="sm" fw={500}>
                State
              </Text>
              <SegmentedControl
                aria-label="State"
                data={[
                  { value: 'active', label: 'Active' },
                  { value: 'shadow', label: 'Shadow' },
                  { value: 'paused', label: 'Paused' },
                ]}
                {...form.getInputProps('state')}
              />
              <Text size="xs" c="dimmed" mt={4}>
                In shadow, people still decide, and this page shows how often they agree with the policy.
              </Text>
            </div>
          </Stack>
        </Grid.Col>
        {/* Beside the fields: it is read while they are typed. */}
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <div style={{ position: 'sticky', top: '1.5rem' }}>
            <Backtest values={form.values} />
          </div>
        </Grid.Col>
        <Grid.Col span={12}>
          <FormFoot save={id === null ? saveLabel : 'Save'} form={form} saving={save} />
        </Grid.Col>
      </Grid>
    </form>
  )
}

type FormPart = { form: ReturnType<typeof useDraftForm<PolicyValues>> }

/** The inputs of the chosen tool can be compared. */
function Condition({ form }: FormPart) {
  const chosen = useCallableTools().find(({ name }) => name === form.values.tool)
  const connector = useOne<Connector>(chosen ? `/connectors/${chosen.connectorId}` : null)
  const tools: { id: string; inputSchema: unknown }[] = connector.data?.tools ?? []
  const fields = inputsOf(tools.find(({ id }) => id === chosen?.id)?.inputSchema)
  return (
    <ConditionBuilder
      value={form.values.when}
      fields={fields.map(({ name, kind }) => ({ path: conditionPath('input', name), type: kind }))}
      onChange={form.getInputProps('when').onChange}
    />
  )
}

function Cap({ form }: FormPart) {
  return (
    <Fieldset legend="Cap">
      <Text size="xs" c="dimmed" mb={8}>
        Counted over the hour or day before each call. Beyond the cap, people are asked.
      </Text>
      <Group align="flex-start" gap={8} grow preventGrowOverflow={false}>
        <NumberInput label="Calls" min={1} max={100_000} w={120} {...form.getInputProps('cap.calls')} />
        <Select
          label="Per"
          w={120}
          data={[
            { value: 'hour', label: 'hour' },
            { value: 'day', label: 'day' },
          ]}
          allowDeselect={false}
          {...form.getInputProps('cap.per')}
        />
        <TextInput label="Add up (optional)" placeholder="/amount" {...form.getInputProps('cap.sum.of')} />
        <NumberInput
          label="At most"
          placeholder="500"
          min={0}
          w={140}
          {...form.getInputProps('cap.sum.max')}
        />
      </Group>
    </Fieldset>
  )
}

function Scope({ form }: FormPart) {
  const webhooks = useChoices<Webhook>('/webhooks', form.values.for.webhookIds, {
    labelOf: ({ name }) => name,
  })
  const channels = useChoices<Channel>('/channels', form.values.for.channelIds, {
    labelOf: ({ name }) => `#${name}`,
  })
  return (
    <Fieldset legend="Applies to">
      <Text size="xs" c="dimmed" mb={8}>
        Leave empty for no limit. An automatic policy covers webhooks and schedules only if they are named
        here.
      </Text>
      <Stack gap={8}>
        <MultiSelect label="Requested by" data={requesterOptions} {...form.getInputProps('for.requesters')} />
        <MultiSelect label="Webhooks" {...webhooks} {...form.getInputProps('for.webhookIds')} />
        <MultiSelect label="Channels" {...channels} {...form.getInputProps('for.channelIds')} />
      </Stack>
    </Fieldset>
  )
}

type ToolSelectProps = {
  value?: string | null
  onChange?: (value: string | null) => void
  error?: React.ReactNode
}

const useCallableTools = () => useOne<{ items: CallableTool[] }>('/tools').data?.items ?? []

function ToolSelect(props: ToolSelectProps) {
  const known = useCallableTools().map(({ name, permission }) => ({
    value: name,
    label: `${name} (${permission})`,
  }))
  const isMissing = props.value && !known.some(({ value }) => value === props.value)
  return (
    <Select
      label="Tool"
      placeholder="shop__refund_order"
      searchable
      data={isMissing ? [...known, props.value ?? ''] : known}
      nothingFoundMessage="No matches"
      {...props}
    />
  )
}
