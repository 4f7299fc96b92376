import { Anchor, Button, Group, NumberInput, SimpleGrid, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { modelLabel } from '../../../src/shared/wording/model-label.ts'
import { call } from '../../api.ts'
import type { Nightly as NightlyState } from '../../contract.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useOne } from '../../hooks/use-api.ts'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { notify } from '../../ui/feedback/notify.ts'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { fieldErrors } from '../../ui/forms/field-errors.ts'
import { Card } from '../../ui/layout/card.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { type ChosenModel, ModelChoice } from '../settings/model/model-choice.tsx'
import { formatDollars } from '../status/format-dollars.ts'

/** Every night: would another model do the same for less? */
export function Nightly({ webhookId }: { webhookId: string }) {
  const path = `/webhooks/${webhookId}/nightly`
  const nightly = useOne<NightlyState>(path)
  return (
    <Card label="Nightly rehearsal">
      <Stack gap={12}>
        <div>
          <Text fw={500}>Nightly rehearsal with another model</Text>
          <Text size="sm" c="dimmed">
            Tries the latest 50 events at 03:00, with recorded reads. Nothing is sent or posted.
          </Text>
        </div>
        <QueryView query={nightly} rows={1}>
          {({ nightly: set }) =>
            set ? (
              <Running set={set} path={path} onChange={() => void nightly.refetch()} />
            ) : (
              <Start path={path} onChange={() => void nightly.refetch()} />
            )
          }
        </QueryView>
      </Stack>
    </Card>
  )
}

type Props = { path: string; onChange: () => void }

function Running({ set, path, onChange }: Props & { set: NonNullable<NightlyState['nightly']> }) {
  const { model, budget, last, problem, nextAt } = set
  const stop = useAction(() => call<void>('DELETE', path), { words: 'Nightly rehearsal stopped' })
  return (
    <Stack gap={8}>
      <Text size="sm">
        {`${modelLabel(model.provider, model.name)}, ${formatDollars(budget)} a night at most. Next: `}
        <RelativeTime at={nextAt} />
      </Text>
      {problem && <Text size="sm">{`Last night: ${problem}`}</Text>}
      {last && (
        <Text size="sm">
          <Anchor component={Link} to={`/rehearsals/${last.id}`}>
            {last.verdict ?? `Last night: ${last.status}`}
          </Anchor>{' '}
          <Text span c="dimmed">
            <RelativeTime at={last.createdAt} />
          </Text>
        </Text>
      )}
      <Group>
        <Button
          size="xs"
          variant="default"
          loading={stop.isPending}
          onClick={() => stop.mutate(undefined, { onSuccess: onChange })}
        >
          Stop
        </Button>
      </Group>
    </Stack>
  )
}

function Start({ path, onChange }: Props) {
  const [model, setModel] = useState<ChosenModel>({ provider: null, name: '' })
  const [budget, setBudget] = useState<number | string>(1)
  const values = { model, budget: Number(budget) }
  const start = useMutation({
    mutationFn: () => call<NightlyState>('PUT', path, values),
    onSuccess: () => {
      notify('Nightly rehearsal set')
      onChange()
    },
  })
  const errors = fieldErrors(start.error, values)
  const field = (name: keyof ChosenModel) => ({
    value: model[name],
    error: errors[`model.${name}`] ?? (name === 'provider' ? errors.model : undefined),
    onChange: (given: string | null | { currentTarget: { value: string } }) =>
      setModel({
        ...model,
        [name]: given !== null && typeof given === 'object' ? given.currentTarget.value : given,
      }),
  })
  return (
    <Stack gap={12}>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <ModelChoice
          provider={model.provider}
          field={field}
          description="What to compare with"
          placeholder="Choose a provider"
        />
        <NumberInput
          label="Budget a night (USD)"
          description="The rehearsal ends at this cost."
          min={0}
          step={0.5}
          value={budget}
          error={errors.budget}
          onChange={setBudget}
        />
      </SimpleGrid>
      {start.error && Object.keys(errors).length === 0 && <ErrorAlert error={start.error} />}
      <Group>
        <Button
          size="xs"
          variant="default"
          loading={start.isPending}
          disabled={model.provider === null || !(Number(budget) > 0)}
          onClick={() => start.mutate()}
        >
          Rehearse every night
        </Button>
      </Group>
    </Stack>
  )
}
