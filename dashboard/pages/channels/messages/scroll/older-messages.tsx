import { Button, Center } from '@mantine/core'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'

type Props = { query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'> }

export function OlderMessages({ query }: Props) {
  if (!query.hasNextPage) return null
  return (
    <Center mb="sm">
      <Button
        size="xs"
        variant="default"
        loading={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
      >
        Show older messages
      </Button>
    </Center>
  )
}
