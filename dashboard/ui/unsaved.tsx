import { Button, Text } from '@mantine/core'

type Props = { form: { overtaken: boolean; restored: boolean; forget: () => void } }

/** Says that a form has unsaved changes, with a button to discard them. */
export function Unsaved({ form }: Props) {
  return (
    <Text size="xs" {...(form.overtaken ? {} : { c: 'dimmed' })} role="status">
      {words(form)}{' '}
      <Button size="compact-xs" variant="subtle" color="gray" onClick={() => form.forget()}>
        Discard
      </Button>
    </Text>
  )
}

function words({ overtaken, restored }: Props['form']): string {
  if (overtaken) return 'Someone else changed this too. Saving overwrites their changes.'
  return restored ? 'Unsaved changes restored' : 'Unsaved changes'
}
