import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import { Empty } from './empty.tsx'

type Props = ComponentProps<typeof Empty> & {
  /** What is listed, as in "webhooks". */
  what: string
  /** The list without a search or filter. */
  to: string
  /** Nothing matches the search or filter; there may be others. */
  filtered: boolean
  /** What the search looks at. */
  searched?: string
}

/** A list without rows: because there are none yet, or because none match. */
export function EmptyList({ what, to, filtered, searched, ...empty }: Props) {
  if (!filtered) return <Empty {...empty} />
  return (
    <Empty
      icon={empty.icon}
      purpose={`No matching ${what}`}
      {...(searched ? { example: searched } : {})}
      action={
        <Button component={Link} to={to} variant="default" size="xs">
          Show all {what}
        </Button>
      }
    />
  )
}
