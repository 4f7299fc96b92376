import { Kbd } from '@mantine/core'
import { useHotkeys, useMediaQuery } from '@mantine/hooks'
import { IconChecklist } from '@tabler/icons-react'
import { useQueries } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { call } from '../../api.ts'
import type { Approval } from '../../contract.ts'
import { Empty } from '../../ui/feedback/empty.tsx'
import { useSeen } from '../../ui/layout/use-seen.ts'
import { ListView } from '../../ui/table/list-view.tsx'
import { ApprovalCard } from './approval-card.tsx'
import { ApprovalQueue } from './approval-queue.tsx'
import classes from './approvals.module.css'
import { Decide } from './decision/decide.tsx'
import { type Fold, foldApprovals, groupByTool } from './fold-approvals.ts'
import { DecideSeveral } from './together/decide-several.tsx'
import { SameTool } from './together/same-tool.tsx'
import { useApprovals } from './use-approvals.ts'

/** What waits for a decision: the queue, and beside it the one that is being decided, or all calls of one tool in a table. */
export function Triage({ tool }: { tool: string | undefined }) {
  return (
    <ListView
      query={useApprovals('pending')}
      empty={
        <div className={classes.other}>
          <Empty
            icon={<IconChecklist size="1.75rem" stroke={1.5} aria-hidden />}
            purpose="No pending approvals"
            example="When the agent wants to change something, the exact request appears here for an admin to approve or deny."
          />
        </div>
      }
    >
      {(items) => {
        const alike = items.filter((approval) => approval.tool === tool)
        return alike.length > 0 ? (
          <SameTool key={tool} approvals={alike} loaded={items.length} />
        ) : (
          <Panes approvals={items} />
        )
      }}
    </ListView>
  )
}

function Panes({ approvals }: { approvals: Approval[] }) {
  const groups = groupByTool(foldApprovals(useCurrent(approvals)))
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const folds = groups.flatMap(({ tool, folds: own, isNamed }) => (isNamed && closed.has(tool) ? [] : own))
  const hasRoom = useMediaQuery('(min-width: 62em)', undefined, { getInitialValueInEffect: false })
  const pane = useRef<HTMLElement>(null)
  const [chosenKey, choose] = useState<string>()
  const [checked, setChecked] = useState<ReadonlySet<string>>(new Set())
  const chosen = folds.find(({ key }) => key === chosenKey) ?? folds.find(isPending) ?? folds[0]
  const at = chosen ? folds.indexOf(chosen) : -1
  const move = (by: 1 | -1) => choose(folds[Math.min(Math.max(at + by, 0), folds.length - 1)]?.key)
  const check = (key: string, range = false) =>
    setChecked((before) => {
      const after = new Set(before)
      const to = folds.findIndex((fold) => fold.key === key)
      const keys = range ? folds.slice(Math.min(at, to), Math.max(at, to) + 1) : folds.slice(to, to + 1)
      const isOn = before.has(key)
      for (const fold of keys.filter(isPending)) isOn ? after.delete(fold.key) : after.add(fold.key)
      return after
    })
  useHotkeys(
    hasRoom
      ? [
          ['j', () => move(1)],
          ['k', () => move(-1)],
          ['x', () => chosen && check(chosen.key)],
          ['Escape', () => setChecked(new Set())],
        ]
      : [],
  )
  const toNext = () => {
    setChecked(new Set())
    // The reason field may have the focus, where keys would be typed.
    pane.current?.focus()
    const done = checked.size > 0 ? checked : new Set([chosen?.key])
    const others = [...folds.slice(at + 1), ...folds.slice(0, at)].filter(isPending)
    choose((others.find(({ key }) => !done.has(key)) ?? chosen)?.key)
  }
  const marked = folds.filter(({ key }) => checked.has(key)).flatMap(({ pending }) => pending)
  return (
    <div className={classes.panes}>
      <div className={classes.queue}>
        <ApprovalQueue
          groups={groups}
          closed={closed}
          onToggle={(tool) => setClosed(closed.symmetricDifference(new Set([tool])))}
          chosen={hasRoom ? chosen?.key : undefined}
          checked={checked}
          onChoose={hasRoom ? choose : null}
          onCheck={check}
        />
      </div>
      {hasRoom && chosen && (
        <section className={classes.decision} aria-label="Decision" ref={pane} tabIndex={-1}>
          <Chosen
            key={checked.size > 0 ? 'several' : chosen.key}
            fold={chosen}
            marked={marked}
            onDecided={toNext}
          />
          {chosen.approvals.some(({ mayDecide, kind }) => mayDecide && kind !== 'confirm') && <Keys />}
        </section>
      )}
    </div>
  )
}

const isPending = ({ pending }: Fold) => pending.length > 0

type ChosenProps = { fold: Fold; marked: Approval[]; onDecided: () => void }

function Chosen({ fold, marked, onDecided }: ChosenProps) {
  const several = marked.length > 0 ? marked : fold.pending
  const shown = several[0] ?? fold.approvals.at(-1)
  if (several.length > 1) return <DecideSeveral approvals={several} onDecided={onDecided} />
  if (!shown) return null
  return (
    <ApprovalCard approval={shown}>
      <Decide approval={shown} keys onDecided={onDecided} />
    </ApprovalCard>
  )
}

function Keys() {
  return (
    <p className={classes.keys}>
      <Kbd size="xs">J</Kbd> <Kbd size="xs">K</Kbd> next and previous · <Kbd size="xs">A</Kbd> approve ·{' '}
      <Kbd size="xs">D</Kbd> deny · <Kbd size="xs">X</Kbd> select several of one tool
    </p>
  )
}

/** Everything that the page has shown, the first to expire at the top. What is no longer listed says what has become of it. */
function useCurrent(listed: Approval[]): Approval[] {
  const seen = useSeen(listed.toSorted((a, b) => a.expiresAt.localeCompare(b.expiresAt)))
  const gone = seen.filter((approval) => !listed.includes(approval))
  const ended = useQueries({
    queries: gone.map(({ id }) => ({
      queryKey: [`/approvals/${id}`],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call<Approval>('GET', `/approvals/${id}`, undefined, signal),
    })),
  })
  const current = new Map(ended.flatMap(({ data }) => (data ? [[data.id, data]] : [])))
  return seen.map((approval) => current.get(approval.id) ?? approval)
}
