import { ActionIcon, Button, Group, NumberInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { Settings, SettingsPatch } from '../../../contract.ts'
import { notify } from '../../../ui/feedback/notify.ts'
import { FormFoot } from '../../../ui/forms/form-foot.tsx'
import { useSettingsForm } from '../use-settings-form.ts'

type Row = { model: string; input: number | string; output: number | string }

/** What a model costs, if the shipped table is wrong or lacks it. */
export function Prices({ settings }: { settings: Settings }) {
  const { form, submit, saving } = useSettingsForm<{ rows: Row[] }>({
    key: 'settings:prices',
    settings,
    toValues: ({ prices }) => ({
      rows: Object.entries(prices).map(([model, { input, output }]) => ({ model, input, output })),
    }),
    toPatch: ({ rows }) => ({ prices: toPatch(rows, settings) }),
    onSaved: () => notify('Prices saved'),
    validate: ({ rows }) =>
      Object.fromEntries(
        rows.flatMap(({ model, input, output }, at) => [
          [`rows.${at}.model`, modelProblem(model, rows.slice(0, at))],
          [`rows.${at}.input`, priceProblem(input)],
          [`rows.${at}.output`, priceProblem(output)],
        ]),
      ),
  })
  const addRow = (
    <Button
      variant="default"
      leftSection={<IconPlus size="0.875rem" aria-hidden />}
      onClick={() => form.insertListItem('rows', { model: '', input: 0, output: 0 })}
    >
      Add price
    </Button>
  )
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack maw={720}>
        <Title order={2}>Prices</Title>
        <Text size="xs" c="dimmed">
          Price in USD per million tokens. Matches model names that start with this text and overrides the
          built-in price.
        </Text>
        {form.values.rows.map((_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no name of its own until it is typed
          <Group key={at} gap={8} align="flex-start">
            <TextInput
              label="Model"
              placeholder="gpt-5"
              style={{ flex: '2 1 15rem' }}
              {...form.getInputProps(`rows.${at}.model`)}
            />
            <NumberInput label="Input" min={0} w={110} {...form.getInputProps(`rows.${at}.input`)} />
            <NumberInput label="Output" min={0} w={110} {...form.getInputProps(`rows.${at}.output`)} />
            <ActionIcon
              mt={27}
              aria-label={`Remove price ${at + 1}`}
              onClick={() => form.removeListItem('rows', at)}
            >
              <IconTrash size="1rem" aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        {form.values.rows.length > 0 || form.isDirty() ? (
          <FormFoot save="Save prices" form={form} saving={saving}>
            {addRow}
          </FormFoot>
        ) : (
          <div>{addRow}</div>
        )}
      </Stack>
    </form>
  )
}

function modelProblem(model: string, above: Row[]): string | null {
  if (model.trim() === '') return 'Enter the start of a model name, or remove the row.'
  return above.some((row) => row.model.trim() === model.trim()) ? 'This model is already listed above.' : null
}

function priceProblem(price: Row['input']): string | null {
  return price !== '' && Number(price) >= 0 ? null : 'Use 0 or more.'
}

/** In a merge patch, null clears an entry. Unchanged ones are left out: somebody else may have changed them meanwhile. */
function toPatch(rows: Row[], { prices }: Settings): SettingsPatch['prices'] {
  const given = rows.map(({ model, input, output }) => ({
    model: model.trim(),
    price: { input: Number(input), output: Number(output) },
  }))
  const cleared = Object.keys(prices).filter((name) => !given.some(({ model }) => model === name))
  const changed = given.filter(({ model, price }) => {
    const known = prices[model]
    return known?.input !== price.input || known.output !== price.output
  })
  return Object.fromEntries([
    ...cleared.map((name) => [name, null]),
    ...changed.map(({ model, price }) => [model, price]),
  ])
}
