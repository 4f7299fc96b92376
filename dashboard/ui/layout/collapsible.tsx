import { Collapse, UnstyledButton } from '@mantine/core'
import { useDisclosure, useId } from '@mantine/hooks'
import { IconChevronRight } from '@tabler/icons-react'
import { type ReactNode, useEffect } from 'react'
import classes from './collapsible.module.css'

type Props = {
  title: string
  /** Describes the content, so that nobody has to open it to know. */
  summary?: ReactNode
  open?: boolean
  /** Something inside was refused: it opens, so that the error is visible. */
  faulty?: boolean
  children: ReactNode
}

export function Collapsible({ title, summary, open = false, faulty = false, children }: Props) {
  const [opened, { toggle, open: unfold }] = useDisclosure(open)
  useEffect(() => {
    if (open || faulty) unfold()
  }, [open, faulty, unfold])
  const id = useId()
  return (
    <section className={classes.folded}>
      <UnstyledButton className={classes.head} onClick={toggle} aria-expanded={opened} aria-controls={id}>
        <IconChevronRight size="1rem" className={classes.mark} data-open={opened || undefined} aria-hidden />
        <span className={classes.title}>{title}</span>
        {summary && <span className={classes.summary}>{summary}</span>}
      </UnstyledButton>
      <Collapse expanded={opened} id={id} transitionDuration={120}>
        <div className={classes.body}>{opened ? children : null}</div>
      </Collapse>
    </section>
  )
}
