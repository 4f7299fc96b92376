import { NumberInput, SimpleGrid, type SimpleGridProps } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'

export type NumberField = {
  /** Of the value in the form. */
  path: string
  label: string
  description?: string
  min?: number
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
      {fields.map(({ path, optional, ...field }) => {
        const input = form.getInputProps(path)
        return (
          <NumberInput
            key={path}
            thousandSeparator=","
            {...field}
            {...input}
            value={input.value ?? ''}
            onChange={(value) => input.onChange(optional && value === '' ? null : value)}
          />
        )
      })}
    </SimpleGrid>
  )
}
