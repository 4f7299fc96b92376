import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { capitalize } from '../../ui/text/capitalize.ts'

type Props = {
  /** For example `webhook`. */
  of: string
  /** The history that lists it: a page, with its tab if it has several. */
  history: string
  n: number
}

export function RevisionLink({ of, history, n }: Props) {
  return (
    <Anchor component={Link} to={`${history}${history.includes('?') ? '&' : '?'}revision=${n}`} inherit>
      {`${capitalize(of)} revision ${n}`}
    </Anchor>
  )
}
