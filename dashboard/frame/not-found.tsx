import { Anchor, Center } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Empty } from '../ui/empty.tsx'

export function NotFound() {
  return (
    <Center mih="60vh" p="lg">
      <Empty
        purpose="No page has this address."
        example="The link may be old, or a letter is missing."
        action={
          <Anchor component={Link} to="/">
            Go home
          </Anchor>
        }
      />
    </Center>
  )
}
