import { Checkbox } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { Approval } from '../../contract.ts'
import { AgeRing } from '../../ui/charts/age-ring.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import classes from './approval-queue.module.css'
import { ApprovalStatusBadge } from './approval-status.tsx'
import { approvalCause, approvalSummary, callSubject, callVerb } from './approval-text.ts'
import type { Fold, ToolGroup } from './fold-approvals.ts'
import { GroupHead } from './together/group-head.tsx'

type Lines = {
  chosen: string | undefined
  checked: ReadonlySet<string>
  /** Null where a line opens its own page. */
  onChoose: ((key: string) => void) | null
  onCheck: (key: string, range: boolean) => void
}
type Props = Lines & {
  groups: ToolGroup[]
  /** The tools whose lines are hidden. */
  closed: ReadonlySet<string>
  onToggle: (tool: string) => void
}

/** One line for each request that waits, the first to expire at the top, and with it the others of a tool that has several. */
export function ApprovalQueue({ groups, closed, onToggle, ...lines }: Props) {
  const { chosen } = lines
  const list = useRef<HTMLUListElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another one is chosen
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  return (
    <ul className={classes.queue} ref={list} aria-label="Pending approvals">
      {groups.map((group) =>
        group.isNamed ? (
          <li key={group.tool}>
            <GroupHead group={group} isOpen={!closed.has(group.tool)} onToggle={() => onToggle(group.tool)} />
            {!closed.has(group.tool) && (
              <ul className={classes.queue} aria-label={callVerb(group.tool)}>
                <FoldLines folds={group.folds} {...lines} />
              </ul>
            )}
          </li>
        ) : (
          <FoldLines key={group.folds[0]?.key} folds={group.folds} {...lines} />
        ),
      )}
    </ul>
  )
}

function FoldLines({ folds, chosen, checked, onChoose, onCheck }: Lines & { folds: Fold[] }) {
  return (
    <>
      {folds.map(({ key, approvals, pending }) => {
        const shown = pending[0] ?? approvals.at(-1)
        if (!shown) return null
        return (
          <li key={key} className={classes.item} data-checked={checked.has(key) || undefined}>
            {shown.mayDecide && onChoose && (
              <Checkbox
                className={classes.check ?? ''}
                size="xs"
                disabled={pending.length === 0}
                checked={checked.has(key) && pending.length > 0}
                aria-label={`Select ${callVerb(shown.tool)} ${callSubject(shown) ?? ''}`}
                onChange={() => undefined}
                onClick={(event) => onCheck(key, event.shiftKey)}
              />
            )}
            <Link
              to={`/approvals/${shown.id}`}
              className={classes.line}
              aria-current={key === chosen || undefined}
              data-decided={pending.length === 0 || undefined}
              onClick={(event) => {
                if (!onChoose || event.metaKey || event.ctrlKey) return
                event.preventDefault()
                onChoose(key)
              }}
            >
              <Line approval={shown} count={Math.max(pending.length, 1)} />
            </Link>
          </li>
        )
      })}
    </>
  )
}

function Line({ approval, count }: { approval: Approval; count: number }) {
  const subject = callSubject(approval) ?? approvalSummary(approval)
  return (
    <>
      <span className={classes.title} title={`${callVerb(approval.tool)} · ${subject}`}>
        {callVerb(approval.tool)} <bdi className={classes.subject}>{subject}</bdi>
      </span>
      {count > 1 && <span className={classes.count}>×{count}</span>}
      <span className={classes.origin}>
        <bdi>{approvalCause(approval)}</bdi> · <RelativeTime at={approval.createdAt} />
      </span>
      <span className={classes.state}>
        {approval.status === 'pending' ? (
          <AgeRing from={approval.createdAt} to={approval.expiresAt} />
        ) : (
          <ApprovalStatusBadge status={approval.status} />
        )}
      </span>
    </>
  )
}
