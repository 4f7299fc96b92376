import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Approval } from '../../../contract.ts'
import { type Column, DataTable } from '../../../ui/table/data-table.tsx'
import { isExactNumber } from '../../../ui/text/parse-exactly.ts'
import { RelativeTime } from '../../../ui/text/relative-time.tsx'
import classes from '../approval-card.module.css'
import { approvalCause, approvalSummary, callSubject } from '../approval-text.ts'
import { CallInputs, inputWords } from '../decision/call-inputs.tsx'
import { compareInputs } from './compare-inputs.ts'

const cause: Column<Approval> = {
  name: 'Triggered by',
  narrow: 'below',
  cell: (approval) => <bdi>{approvalCause(approval)}</bdi>,
}
const event: Column<Approval> = {
  name: 'Event',
  grow: 'little',
  cell: ({ event: sent }) => sent?.summary && <q>{sent.summary}</q>,
}
const times: Column<Approval>[] = [
  { name: 'Requested', narrow: 'below', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  { name: 'Expires', narrow: 'wide-only', cell: ({ expiresAt }) => <RelativeTime at={expiresAt} /> },
]

type Props = {
  approvals: Approval[]
  bulk?: (selected: Approval[], clear: () => void) => ReactNode
}

/** Calls of one tool, one in each row, with a column for each input that differs. What is the same in all is said once. */
export function RequestTable({ approvals, bulk }: Props) {
  const { common, differing } = compareInputs(approvals.map(({ input }) => input))
  const inputs = differing.map(({ name, valueIn }, at): Column<Approval> => {
    const numeric = approvals.every(({ input }) => isNumber(valueIn(input)))
    return {
      name,
      numeric,
      cell: ({ input }) => <Input value={valueIn(input)} />,
      sort: ({ input }) => (numeric ? Number(inputWords(valueIn(input))) : inputWords(valueIn(input))),
      // Nobody approves what is cut off.
      whole: true,
      ...(at > 0 ? { narrow: 'below' } : {}),
    }
  })
  // Equal calls differ by the event that led to them.
  const origin: Column<Approval>[] =
    inputs.length === 0 && approvals.every((approval) => approval.event?.summary)
      ? [{ ...event, grow: true }, cause]
      : [cause, { ...event, narrow: 'wide-only' }]
  return (
    <>
      {common.length > 0 && (
        <section aria-label="The same in all requests">
          <h3 className={classes.head}>The same in all requests</h3>
          <CallInputs input={Object.fromEntries(common)} />
        </section>
      )}
      <DataTable
        label="Requests"
        rows={approvals}
        columns={[...inputs, ...origin, ...times]}
        rowHref={({ id }) => `/approvals/${id}`}
        rowName={(approval) => callSubject(approval) ?? approvalSummary(approval)}
        bulk={bulk}
        keys={bulk !== undefined}
      />
    </>
  )
}

function Input({ value }: { value: unknown }) {
  return value === undefined ? (
    <Text span c="dimmed">
      –
    </Text>
  ) : (
    <bdi style={{ whiteSpace: 'pre-wrap' }}>{inputWords(value)}</bdi>
  )
}

const isNumber = (value: unknown) => typeof value === 'number' || isExactNumber(value)
