import { Center } from '@mantine/core'
import { BellName } from '../ui/bell-name.tsx'

/** Before it is known who is there, over a slow line: not an empty window. */
export function Coming() {
  return (
    <Center h="100dvh" role="status" aria-busy="true" aria-label="Bellhop is on its way">
      <BellName size={28} />
    </Center>
  )
}
