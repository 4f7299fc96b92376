import { Skeleton, Stack, VisuallyHidden } from '@mantine/core'

/** A placeholder in the shape of the content, so that nothing jumps. */
export function Loading({ rows = 6 }: { rows?: number }) {
  return (
    <Stack gap={8} aria-busy="true">
      <VisuallyHidden role="status">Loading</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are alike and never move
        <Skeleton key={row} height={28} width={`${92 - ((row * 17) % 40)}%`} />
      ))}
    </Stack>
  )
}
