import { Center } from '@mantine/core'
import { BellName } from '../ui/bell-name.tsx'

/** Shown while we ask who is signed in, so that a slow connection does not mean an empty window. */
export function Coming() {
  return (
    <Center h="100dvh" role="status" aria-busy="true" aria-label="Bellhop is on its way">
      <BellName size="1.75rem" />
    </Center>
  )
}
