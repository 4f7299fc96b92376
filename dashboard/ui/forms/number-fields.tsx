import { NumberInput, SimpleGrid, type SimpleGridProps, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { formatBytes } from '../text/format-bytes.ts'
import { plural } from '../text/plural.ts'

export type NumberField = {
  /** Of the value in the form. */
  path: string
  label: string
  description?: string
  min?: number
  /** What the number counts: beside the field it is written as people say it, as in "24 hours". */
  unit?: 'seconds' | 'bytes'
  /** May be empty, which is null. */
  optional?: true
}

type Form = { getInputProps: (path: string) => InputProps }
type InputProps = ReturnType<UseFormReturnType<Record<string, unknown>>['getInputProps']>
type Props = { form: Form; fields: NumberField[]; cols?: SimpleGridProps['cols']; maw?: number }

/** Numbers side by side. */
export function NumberFields({ form, fields, cols = { base: 1, sm: 2 }, maw }: Props) {
  return (
    <SimpleGrid cols={cols} maw={maw} style={{ alignItems: 'end' }}>
      {fields.map(({ path, optional, unit, ...field }) => {
        const input = form.getInputProps(path)
        return (
          <NumberInput
            key={path}
            thousandSeparator=","
            {...field}
            {...input}
            value={input.value ?? ''}
            {...(unit && typeof input.value === 'number'
              ? { rightSection: <Text size="xs">{inWords[unit](input.value)}</Text>, rightSectionWidth: 92 }
              : {})}
            onChange={(value) => input.onChange(optional && value === '' ? null : value)}
          />
        )
      })}
    </SimpleGrid>
  )
}

const inWords = {
  bytes: formatBytes,
  seconds(count: number): string {
    const [size, name] = (
      [
        [86_400, 'day'],
        [3600, 'hour'],
        [60, 'minute'],
      ] as const
    ).find(([unit]) => count >= unit && count % (unit / 2) === 0) ?? [1, 'second']
    return plural(count / size, name)
  },
}
