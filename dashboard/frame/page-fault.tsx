import { Box } from '@mantine/core'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Failed } from '../ui/failed.tsx'

export function PageFault({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  return (
    <Box p="lg" maw={720}>
      <Failed
        error={error}
        retry={() => {
          reset()
          void router.invalidate()
        }}
      />
    </Box>
  )
}
