import { Button, Text } from '@mantine/core'

type Props = { form: { conflicting: boolean; restored: boolean; discard: () => void } }

/** Says that a form has unsaved changes, with a button to discard them. */
export function Unsaved({ form }: Props) {
  return (
    <Text size="xs" {...(form.conflicting ? {} : { c: 'dimmed' })} role="status">
      {words(form)}{' '}
      <Button size="compact-xs" variant="subtle" color="gray" onClick={() => form.discard()}>
        Discard
      </Button>
    </Text>
  )
}

function words({ conflicting, restored }: Props['form']): string {
  if (conflicting) return 'Someone else changed this too. Saving overwrites their changes.'
  return restored ? 'Unsaved changes restored' : 'Unsaved changes'
}
