import { Button, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useFilter } from '../../../hooks/use-filter.ts'
import classes from '../approval-queue.module.css'
import { callVerb } from '../approval-text.ts'
import type { ToolGroup } from '../fold-approvals.ts'
import { compareInputs } from './compare-inputs.ts'

type Props = { group: ToolGroup; isOpen: boolean; onToggle: () => void }

const maxNames = 3

/** How many calls of a tool wait and what tells them apart; leads to the table that compares them. */
export function GroupHead({ group: { tool, folds }, isOpen, onToggle }: Props) {
  const [, setTool] = useFilter('tool', 'push')
  const pending = folds.flatMap((fold) => fold.pending)
  const names = compareInputs(pending.map(({ input }) => input)).differing.map(({ name }) => name)
  const some = names.length > maxNames ? [...names.slice(0, maxNames), '…'] : names
  const Chevron = isOpen ? IconChevronDown : IconChevronRight
  return (
    <div className={classes.head}>
      <UnstyledButton className={classes.toggle} aria-expanded={isOpen} onClick={onToggle}>
        <Chevron size="0.875rem" aria-hidden />
        <span className={classes.tool}>
          <b>{callVerb(tool)}</b>
          {pending.length > 0 && ` ×${pending.length}`}
          {names.length > 0 && ` · ${some.join(', ')} ${names.length === 1 ? 'differs' : 'differ'}`}
        </span>
      </UnstyledButton>
      {pending.length > 1 && (
        <Button size="compact-xs" variant="default" onClick={() => setTool(tool)}>
          Compare
        </Button>
      )}
    </div>
  )
}
