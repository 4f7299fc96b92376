import { hashKey, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api.ts'
import type { Rehearsal } from '../../contract.ts'
import { useOne } from '../../hooks/use-api.ts'
import { useFilter } from '../../hooks/use-filter.ts'

/** The settings that can be tried; others have no influence on what the agent does with an event. */
const triable = [
  'prompt',
  'model',
  'instructions',
  'rules',
  'connectorIds',
  'ceiling',
  'allowSilence',
  'tools',
] as const

export type Target = { webhookId: string } | { scheduleId: string }
export type Asked = {
  /** Where the form is not about one webhook or schedule. */
  chosen: Target | null
  events: { last: number; when?: string } | { cases: true }
  budget: number
  reads: 'recorded' | 'live'
}

const pollMs = 2_000

export function useRehearsal(id: string | null) {
  return useOne<Rehearsal>(id === null ? null : `/rehearsals/${id}`, (of) => (of?.endedAt ? false : pollMs))
}

/**
 * A rehearsal of what was changed in a form and is not saved. The URL keeps which, so that a reload does not lose it. `choose`: people
 * choose the webhook whose events are tried.
 */
export function useRehearse(target: Target | 'choose' | null, patch: Record<string, unknown>) {
  const change = Object.fromEntries(
    triable.filter((name) => name in patch).map((name) => [name, patch[name]]),
  )
  const [id, setId] = useFilter('rehearsal')
  const [accepted, setAccepted] = useState<string | null>(null)
  const rehearsal = useRehearsal(id ?? null)
  const start = useMutation({
    mutationFn: ({ chosen, ...asked }: Asked) =>
      call<Rehearsal>('POST', '/rehearsals', { target: chosen ?? target, change, ...asked }),
    onSuccess: (made) => setId(made.id),
  })
  // Somebody who goes on typing has another change, of which this rehearsal says nothing.
  const isCurrent = rehearsal.data !== undefined && hashKey([rehearsal.data.change]) === hashKey([change])
  const newWrites = isCurrent ? (rehearsal.data?.counts.newWrite ?? 0) : 0
  return {
    choosesTarget: target === 'choose',
    canRehearse: target !== null && Object.keys(change).length > 0,
    start,
    rehearsal: id === undefined ? null : rehearsal,
    isCurrent,
    newWrites,
    /** A new write stops the save until somebody says so. */
    stopsSave: newWrites > 0 && accepted !== id,
    isAccepted: accepted === id,
    accept: (yes: boolean) => setAccepted(yes && id !== undefined ? id : null),
    close: () => setId(null),
  }
}
export type Rehearsing = ReturnType<typeof useRehearse>
