import {
  Button,
  NumberInput,
  Popover,
  SegmentedControl,
  Select,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { plural } from '../../ui/text/plural.ts'
import { useWebhookChoices } from '../webhooks/use-webhooks.ts'
import type { Rehearsing } from './use-rehearse.ts'

/** Beside Save: tries what is not saved yet on past events. */
export function RehearseButton({ of: { canRehearse, choosesTarget, start } }: { of: Rehearsing }) {
  const [opened, { toggle, close }] = useDisclosure()
  const [last, setLast] = useState<number | string>(50)
  const [webhookId, setWebhookId] = useState<string | null>(null)
  const [when, setWhen] = useState('')
  const [budget, setBudget] = useState<number | string>(1)
  const [live, setLive] = useState(false)
  const [which, setWhich] = useState<'last' | 'cases'>('last')
  if (!canRehearse) return null
  const isChosen = which === 'cases' || Number(last) >= 1
  const isComplete = isChosen && Number(budget) > 0 && (!choosesTarget || webhookId !== null)
  const ask = () =>
    start.mutate(
      {
        // The choice offers nothing else.
        chosen: choosesTarget && webhookId !== null ? { webhookId } : null,
        events:
          which === 'cases'
            ? { cases: true }
            : { last: Number(last), ...(when.trim() === '' ? {} : { when }) },
        budget: Number(budget),
        reads: live ? 'live' : 'recorded',
      },
      { onSuccess: close },
    )
  return (
    <Popover opened={opened} onChange={toggle} width={300} position="top-start" trapFocus shadow="md">
      <Popover.Target>
        <Button variant="default" onClick={toggle} aria-expanded={opened}>
          Rehearse…
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap={12}>
          <Text size="sm">Tries your changes on past events. Nothing is saved, sent or posted.</Text>
          {choosesTarget && <ChooseWebhook value={webhookId} onChange={setWebhookId} />}
          <SegmentedControl
            aria-label="Events to try it on"
            value={which}
            onChange={(value) => setWhich(value === 'cases' ? 'cases' : 'last')}
            data={[
              { value: 'last', label: 'Latest events' },
              { value: 'cases', label: 'All cases' },
            ]}
          />
          {which === 'last' && (
            <>
              <NumberInput label="Latest events" min={1} max={500} value={last} onChange={setLast} />
              <TextInput
                label="Only events where"
                description="A condition, as in rules. Leave empty for all events."
                placeholder="event.type == 'order.paid'"
                value={when}
                onChange={(event) => setWhen(event.currentTarget.value)}
              />
            </>
          )}
          <NumberInput
            label="Budget (USD)"
            description="The rehearsal ends at this cost."
            min={0}
            step={0.5}
            value={budget}
            onChange={setBudget}
          />
          <Switch
            label="Live reads"
            description="Ask the targets instead of the recording. Writes are stopped all the same."
            checked={live}
            onChange={(event) => setLive(event.currentTarget.checked)}
          />
          {start.error && <ErrorAlert error={start.error} />}
          <Button loading={start.isPending} disabled={!isComplete} onClick={ask}>
            {which === 'cases' ? 'Rehearse all cases' : `Rehearse ${plural(Number(last) || 0, 'event')}`}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

type ChoiceProps = { value: string | null; onChange: (webhookId: string | null) => void }

function ChooseWebhook({ value, onChange }: ChoiceProps) {
  const choices = useWebhookChoices(value ?? undefined)
  return (
    <Select
      label="Webhook"
      description="Whose past events are tried."
      placeholder="Choose a webhook"
      // A click on an option outside would close the popover.
      comboboxProps={{ withinPortal: false }}
      {...choices}
      value={value}
      onChange={onChange}
    />
  )
}
