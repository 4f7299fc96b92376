import { ActionIcon, Button, Group, MultiSelect, NumberInput, Select, Stack, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { Group as PeopleGroup } from '../../../contract.ts'
import { useChoices } from '../../../hooks/use-choices.ts'
import type { ApproverValues } from './approver-values.ts'

type Props = {
  value: ApproverValues
  onChange: (value: ApproverValues) => void
  /** What an empty field means. */
  otherwise: { approvers: string; own: string }
}

/** Who approves: of a tool, or of the calls that a policy covers. */
export function ApproverFields({ value, onChange, otherwise }: Props) {
  const { approvers, approvalsNeeded, requesterMayApprove, escalate } = value
  const choices = useChoices<PeopleGroup>('/groups', [...approvers, ...escalate.map(({ to }) => to)], {
    labelOf: ({ name }) => name,
  })
  const set = (part: Partial<ApproverValues>) => onChange({ ...value, ...part })
  const setStep = (at: number, part: Partial<ApproverValues['escalate'][number]>) =>
    set({ escalate: escalate.map((step, n) => (n === at ? { ...step, ...part } : step)) })
  return (
    <Stack gap={8}>
      <Group align="flex-start" gap={8}>
        <MultiSelect
          label="Groups"
          placeholder={approvers.length === 0 ? otherwise.approvers : ''}
          style={{ flex: '1 1 14rem' }}
          {...choices}
          value={approvers}
          onChange={(ids) => set({ approvers: ids })}
        />
        <NumberInput
          label="Approvals"
          placeholder="1"
          w={110}
          min={1}
          max={5}
          allowDecimal={false}
          value={approvalsNeeded}
          onChange={(needed) => set({ approvalsNeeded: typeof needed === 'number' ? needed : '' })}
        />
      </Group>
      <Select
        label="The requester may approve"
        data={[
          { value: '', label: otherwise.own },
          { value: 'yes', label: 'Yes' },
          { value: 'no', label: 'No, somebody else' },
        ]}
        allowDeselect={false}
        value={requesterMayApprove}
        // As offered.
        onChange={(own) => set({ requesterMayApprove: (own ?? '') as ApproverValues['requesterMayApprove'] })}
      />
      {escalate.map(({ afterMinutes, to }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step has no name of its own
        <Group key={at} align="flex-end" gap={8}>
          <NumberInput
            label="After"
            w={110}
            min={1}
            max={43_200}
            allowDecimal={false}
            suffix=" min"
            value={afterMinutes}
            onChange={(minutes) => setStep(at, { afterMinutes: typeof minutes === 'number' ? minutes : '' })}
          />
          <Select
            label="Mention"
            placeholder="Choose a group"
            style={{ flex: '1 1 10rem' }}
            {...choices}
            value={to}
            onChange={(id) => setStep(at, { to: id })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={`Remove escalation ${at + 1}`}
            onClick={() => set({ escalate: escalate.filter((_, n) => n !== at) })}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      <Group gap={12}>
        <Button
          size="xs"
          variant="default"
          disabled={escalate.length >= 10}
          onClick={() => set({ escalate: [...escalate, { afterMinutes: 15, to: null }] })}
        >
          Add escalation
        </Button>
        {escalate.length > 0 && (
          <Text size="xs" c="dimmed">
            The group is mentioned below the card, and may decide from then on.
          </Text>
        )}
      </Group>
    </Stack>
  )
}
