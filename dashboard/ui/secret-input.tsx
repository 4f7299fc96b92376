import { PasswordInput, type PasswordInputProps } from '@mantine/core'

type Props = PasswordInputProps & {
  /** There is one already. It is not shown again, and stays unless another is typed. */
  isSet?: boolean
}

/** A secret that belongs to something else than the person who types it: the browser need not remember it. */
export function SecretInput({ isSet = false, description, ...rest }: Props) {
  return (
    <PasswordInput
      autoComplete="off"
      description={isSet ? <>Set. Leave it empty to keep it. {description}</> : description}
      {...rest}
    />
  )
}
