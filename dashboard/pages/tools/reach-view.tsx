import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Reach } from '../../contract.ts'
import { useOne } from '../../hooks/use-api.ts'
import { Empty } from '../../ui/feedback/empty.tsx'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { StatusBadge, type Tone } from '../../ui/feedback/status-badge.tsx'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { plural } from '../../ui/text/plural.ts'
import { decisionLabels, describeCap } from '../policies/policy-text.ts'
import { CapabilityBadge } from './capability-badge.tsx'

type Props = {
  /** `/webhooks/hook_…` */
  path: string
  /** Who can make the agent do this at worst. */
  who: string
}

/** The worst comes first; the rest of a large connector is alike. */
const shownFirst = 20

/** What the agent can be made to do in a place at worst, from the configuration alone. */
export function ReachView({ path, who }: Props) {
  const reach = useOne<Reach>(`${path}/reach`)
  const [showsAll, setShowsAll] = useState(false)
  return (
    <QueryView query={reach}>
      {({ tools, readsAcross, outOfScope }) => {
        if (tools.length === 0)
          return <Empty purpose="The agent has no tools here." example="The agent can only reply." />
        const count = (...outcomes: Outcome[]) =>
          tools.filter(({ outcome }) => outcomes.includes(outcome)).length
        const approved = count('approve', 'confirm')
        const shown = tools.slice(0, showsAll ? undefined : shownFirst)
        const explained = shown.some((tool) => linesOf(tool).length > 0)
        return (
          <Stack>
            <Text maw={640}>
              At worst, {who} can make the agent use{' '}
              <b>{plural(count('alone', 'capped'), 'tool')} without approval</b>
              {approved > 0 && ` and ask for ${plural(approved, 'tool')} with approval`}.
              {outOfScope > 0 && ` ${plural(outOfScope, 'tool')} of other connectors cannot be used here.`}
              {readsAcross === 'one' &&
                ' After a read from one connector, the use of another one asks an admin.'}
            </Text>
            <DataTable
              label="Reach"
              rows={shown.map((tool) => ({ id: tool.toolId, ...tool }))}
              columns={explained ? [...columns, why] : columns}
            />
            {tools.length > shownFirst && !showsAll && (
              <Button
                variant="default"
                size="xs"
                style={{ alignSelf: 'center' }}
                onClick={() => setShowsAll(true)}
              >
                Show all {tools.length}
              </Button>
            )}
          </Stack>
        )
      }}
    </QueryView>
  )
}

type Tool = Reach['tools'][number]
type Outcome = Tool['outcome']

const outcomes: Record<Outcome, { tone: Tone; word: string }> = {
  alone: { tone: 'bad', word: 'without approval' },
  capped: { tone: 'waiting', word: 'automatic up to a cap' },
  approve: { tone: 'good', word: 'with approval' },
  confirm: { tone: 'good', word: 'confirmed in the channel' },
  never: { tone: 'idle', word: 'never' },
}

function toneOf({ outcome, capability }: Tool): Tone {
  return outcome === 'alone' && capability === 'read' ? 'idle' : outcomes[outcome].tone
}

const columns: Column<Tool & { id: string }>[] = [
  { name: 'Tool', grow: 'little', cell: ({ name }) => name },
  {
    name: 'Capability',
    narrow: 'hide',
    cell: ({ capability }) => <CapabilityBadge capability={capability} />,
  },
  {
    name: 'At worst',
    cell: (tool) => <StatusBadge tone={toneOf(tool)} word={outcomes[tool.outcome].word} />,
  },
]

const why: Column<Tool & { id: string }> = {
  name: 'Why',
  grow: true,
  whole: true,
  narrow: 'below',
  cell: (tool) => (
    <Stack gap={2}>
      {linesOf(tool).map((line) => (
        <Text key={line} size="xs" c="dimmed">
          {line}
        </Text>
      ))}
    </Stack>
  ),
}

function linesOf({ why, approvalsNeeded, outcome, policies }: Tool): string[] {
  return [
    why,
    outcome === 'approve' && approvalsNeeded > 1 ? `${approvalsNeeded} people approve.` : null,
    ...policies.map(
      ({ name, then, state, cap }) =>
        `${name}: ${decisionLabels[then]}${cap ? `, ${describeCap(cap)}` : ''}${state === 'shadow' ? ' (shadow)' : ''}`,
    ),
  ].filter((line) => line !== null)
}
