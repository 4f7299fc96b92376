import { Checkbox, PasswordInput, type PasswordInputProps, Stack } from '@mantine/core'
import type { ChangeEvent } from 'react'

type Props = Omit<PasswordInputProps, 'value' | 'onChange'> & {
  /** There is one already. It is not shown again, and stays unless another is typed. */
  isSet?: boolean
  /** It can be done without: what is set may be taken away. */
  removable?: boolean
  /** Null takes away what is set. */
  value?: string | null
  onChange: (change: ChangeEvent<HTMLInputElement> | '' | null) => void
}

/** A secret that belongs to something else than the person who types it: the browser need not remember it. */
export function SecretInput({
  isSet = false,
  removable = false,
  description,
  value,
  onChange,
  ...rest
}: Props) {
  return (
    <Stack gap={8}>
      <PasswordInput
        autoComplete="off"
        description={isSet ? <>Set. Leave it empty to keep it. {description}</> : description}
        {...rest}
        value={value ?? ''}
        onChange={onChange}
        disabled={value === null}
      />
      {isSet && removable && (
        <Checkbox
          label="Remove it"
          checked={value === null}
          onChange={() => onChange(value === null ? '' : null)}
        />
      )}
    </Stack>
  )
}
