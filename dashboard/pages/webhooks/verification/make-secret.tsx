import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { CopyButton } from '../../../ui/text/copy-button.tsx'

/** Generates a random secret for both sides. It can be copied until it is saved. */
export function MakeSecret({ value, onMade }: { value: string; onMade: (secret: string) => void }) {
  const [made, setMade] = useState('')
  const make = () => {
    const secret = Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) =>
      byte.toString(16).padStart(2, '0'),
    ).join('')
    setMade(secret)
    onMade(secret)
  }
  if (made === '' || made !== value) {
    return (
      <Button size="xs" variant="default" w="fit-content" onClick={make}>
        Generate secret
      </Button>
    )
  }
  return (
    <Group gap={8}>
      <CopyButton value={made} what="secret" labelled />
      <Text size="xs" c="dimmed">
        Copy it to the sender, too. It is not shown again after you save.
      </Text>
    </Group>
  )
}
