import type { ModelOutages } from '../../contract.ts'
import { useOne } from '../../hooks/use-api.ts'
import { useHasRole } from '../../pages/accounts/use-me.ts'
import { StatusBadge } from '../../ui/feedback/status-badge.tsx'
import { Hint } from '../../ui/layout/hint.tsx'

/** A model that does not answer explains why events wait, so every page shows it. */
export function ModelMark() {
  const { data } = useOne<ModelOutages>(useHasRole('operator') ? '/models/outages' : null, 30_000)
  const held = data?.items.filter(({ heldSince }) => heldSince !== null) ?? []
  if (held.length === 0) return null
  return (
    <Hint
      multiline
      maw={420}
      label={`${held.map(({ model }) => model).join(', ')} does not answer: ${held[0]?.problem} Events that need it wait, and are handled when it answers again.`}
    >
      <span>
        <StatusBadge tone="waiting" word="model does not answer" />
      </span>
    </Hint>
  )
}
