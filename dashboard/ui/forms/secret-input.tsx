import { Checkbox, PasswordInput, type PasswordInputProps, Stack } from '@mantine/core'
import type { ChangeEvent } from 'react'

type Props = Omit<PasswordInputProps, 'value' | 'onChange'> & {
  /** A secret is stored. It is never shown again, and stays unless another is typed. */
  isSet?: boolean
  /** The secret is optional: a stored one may be removed. */
  removable?: boolean
  /** Null removes the stored one. */
  value?: string | null
  onChange: (change: ChangeEvent<HTMLInputElement> | '' | null) => void
}

/** A secret that does not belong to the person who types it, so browsers should not remember it. */
export function SecretInput({
  isSet = false,
  removable = false,
  description,
  value,
  onChange,
  ...rest
}: Props) {
  const mayRemove = isSet && removable
  return (
    <Stack gap={8}>
      <PasswordInput
        autoComplete="off"
        description={isSet ? <>Set. Leave empty to keep it. {description}</> : description}
        {...rest}
        value={value ?? ''}
        onChange={onChange}
        disabled={mayRemove && value === null}
      />
      {mayRemove && (
        <Checkbox
          label="Remove stored secret"
          checked={value === null}
          onChange={() => onChange(value === null ? '' : null)}
        />
      )}
    </Stack>
  )
}
