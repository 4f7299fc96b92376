import { Button } from '@mantine/core'
import type { Case, LedgerEvent } from '../../../contract.ts'
import { useOne } from '../../../hooks/use-api.ts'
import { useFilter } from '../../../hooks/use-filter.ts'
import { CaseForm } from './case-form.tsx'

/** On the page of an event; a link with `?case=edit` opens it at once. */
export function KeepCase({ event }: { event: LedgerEvent }) {
  const [editing, setEditing] = useFilter('case')
  const kept = useOne<{ items: Case[] }>(`/cases?eventId=${event.id}`)
  if (!(event.webhookId || event.scheduleId) || !kept.data) return null
  const [of = null] = kept.data.items
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setEditing('edit')}>
        {of ? 'Case…' : 'Keep as a case…'}
      </Button>
      <CaseForm
        eventId={event.id}
        of={of}
        name={event.summary ?? ''}
        opened={editing === 'edit'}
        onClose={() => setEditing(null)}
      />
    </>
  )
}
