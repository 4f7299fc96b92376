import { Code, Text } from '@mantine/core'
import type { Approval } from '../../../contract.ts'
import { RelativeTime } from '../../../ui/text/relative-time.tsx'

/** Who changed what the agent asked for, and how. */
export function EditedBy({ edited }: { edited: NonNullable<Approval['edited']> }) {
  return (
    <Text size="sm" component="section" aria-label="Edited">
      Edited by <bdi>{edited.by.name}</bdi> <RelativeTime at={edited.at} />
      {edited.changes?.map(({ at, from, to }) => (
        <span key={at}>
          {' · '}
          {at.slice(1)} <Code>{inShort(from)}</Code> → <Code>{inShort(to)}</Code>
        </span>
      ))}
    </Text>
  )
}

function inShort(value: unknown): string {
  return value === undefined ? '(none)' : JSON.stringify(value)
}
