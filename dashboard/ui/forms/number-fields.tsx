import { NativeSelect, NumberInput, SimpleGrid, type SimpleGridProps } from '@mantine/core'
import { useState } from 'react'

export type NumberField = {
  /** Of the value in the form. */
  path: string
  label: string
  description?: string
  min?: number
  /** What the number counts in the form's value: people choose a unit of their own, as in "24 hours". */
  unit?: keyof typeof units
  /** May be empty, which is null. */
  optional?: true
}

/** From the smallest; each with its size in the unit of the value. */
const units = {
  milliseconds: [
    { name: 'milliseconds', size: 1 },
    { name: 'seconds', size: 1000 },
    { name: 'minutes', size: 60_000 },
  ],
  seconds: [
    { name: 'seconds', size: 1 },
    { name: 'minutes', size: 60 },
    { name: 'hours', size: 3600 },
    { name: 'days', size: 86_400 },
  ],
  minutes: [
    { name: 'minutes', size: 1 },
    { name: 'hours', size: 60 },
    { name: 'days', size: 1440 },
  ],
  bytes: [
    { name: 'bytes', size: 1 },
    { name: 'KB', size: 1024 },
    { name: 'MB', size: 1024 ** 2 },
  ],
}

type Form = { getInputProps: (path: string) => InputProps }
type InputProps = {
  value?: unknown
  onChange: (value: unknown) => void
  error?: React.ReactNode
}
type Props = { form: Form; fields: NumberField[]; cols?: SimpleGridProps['cols']; maw?: number }

/** Numbers side by side. */
export function NumberFields({ form, fields, cols = { base: 1, sm: 2 }, maw }: Props) {
  return (
    <SimpleGrid cols={cols} maw={maw} style={{ alignItems: 'end' }}>
      {fields.map((field) => (
        <Field key={field.path} field={field} input={form.getInputProps(field.path)} />
      ))}
    </SimpleGrid>
  )
}

function Field({ field, input }: { field: NumberField; input: InputProps }) {
  const { path, optional, unit, ...rest } = field
  const { value } = input
  const choices = unit ? units[unit] : null
  const [chosen, setChosen] = useState<number | null>(null)
  const largest = choices?.findLast(
    ({ size }) => typeof value === 'number' && value > 0 && value % size === 0,
  )
  const size = chosen ?? largest?.size ?? 1
  const amount = typeof value === 'number' ? value / size : value
  return (
    <NumberInput
      thousandSeparator=","
      {...rest}
      {...input}
      {...(choices
        ? {
            min: 0,
            rightSectionWidth: 96,
            rightSection: (
              <NativeSelect
                variant="unstyled"
                size="xs"
                // Otherwise it inherits the room that the number leaves for the unit, which cannot be seen then, and its margin.
                rightSectionWidth={24}
                styles={{ wrapper: { margin: 0 } }}
                aria-label="Unit"
                value={String(size)}
                data={choices.map((one) => ({
                  value: String(one.size),
                  label: amount === 1 ? one.name.replace(/s$/, '') : one.name,
                }))}
                onChange={({ currentTarget }) => {
                  const next = Number(currentTarget.value)
                  setChosen(next)
                  if (typeof amount === 'number') input.onChange(amount * next)
                }}
              />
            ),
          }
        : {})}
      // What is typed is a number or, while it is none, a text.
      value={typeof amount === 'number' || typeof amount === 'string' ? amount : ''}
      onChange={(typed) => {
        // The unit does not change while somebody types.
        setChosen(size)
        input.onChange(optional && typed === '' ? null : typeof typed === 'number' ? typed * size : typed)
      }}
    />
  )
}
