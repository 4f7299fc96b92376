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
  if (overtaken) return 'The same was changed elsewhere meanwhile. Saving puts yours in its place.'
  return restored ? 'Unsaved changes from before were kept.' : 'Unsaved changes.'
}
