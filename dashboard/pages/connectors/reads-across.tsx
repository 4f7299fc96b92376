import { Checkbox } from '@mantine/core'
import type { ReadsAcross as Value } from '../../../src/shared/scope.ts'
import { useHasRole } from '../accounts/use-me.ts'

type Props = { description: string; value: Value; onChange: (value: Value) => void; error?: React.ReactNode }

/** Only an admin may take this limit away again. */
export function ReadsAcross({ description, value, onChange, error }: Props) {
  const admin = useHasRole('admin')
  return (
    <Checkbox
      label="Ask before a run uses a second connector"
      description={admin ? description : `${description} Only admins can switch this off.`}
      checked={value === 'one'}
      disabled={!admin && value === 'one'}
      onChange={({ currentTarget }) => onChange(currentTarget.checked ? 'one' : 'all')}
      error={error}
    />
  )
}
