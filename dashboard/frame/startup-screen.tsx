import { Center } from '@mantine/core'
import { Logo } from '../ui/layout/logo.tsx'

/** Shown while we ask who is signed in, so that a slow connection does not mean an empty window. */
export function StartupScreen() {
  return (
    <Center h="100dvh" role="status" aria-busy="true" aria-label="Loading Bellhop">
      <Logo size="1.75rem" />
    </Center>
  )
}
