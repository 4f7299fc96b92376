import type { RehearsalSummary } from './contract.ts'

type Told = Pick<RehearsalSummary, 'status' | 'isDrill' | 'counts' | 'checks' | 'compared' | 'total' | 'cost'>

const words: Readonly<Record<keyof RehearsalSummary['counts'], [one: string, many: string]>> = {
  newWrite: ['new write', 'new writes'],
  failed: ['failure', 'failures'],
  notRecorded: ['event not in the recording', 'events not in the recording'],
  writeGone: ['write gone', 'writes gone'],
  replyDiffers: ['different reply', 'different replies'],
  same: ['', ''],
}

/** What came of a rehearsal in one line: "Nothing changes, 31 % cheaper". Null until it is done, and where nothing was compared. */
export function writeVerdict({
  status,
  isDrill,
  counts,
  checks,
  compared,
  total,
  cost,
}: Told): string | null {
  if (status !== 'done' || isDrill || compared === 0) return null
  const differences = Object.entries(words).flatMap(([outcome, [one, many]]) => {
    // The keys of the table.
    const count = outcome === 'same' ? 0 : counts[outcome as keyof typeof words]
    return count === 0 ? [] : `${count} ${count === 1 ? one : many}`
  })
  const failed =
    checks.failed > 0 ? [`${checks.failed} failed ${checks.failed === 1 ? 'check' : 'checks'}`] : []
  const found = [...failed, ...differences]
  return [
    found.length > 0 ? found.join(', ') : 'Nothing changes',
    ...describeCost(cost),
    ...(compared < total ? [`${compared} of ${total} events compared`] : []),
  ].join(', ')
}

function describeCost({ before, after }: Told['cost']): string[] {
  if (before === 0) return []
  const percent = Math.round((after / before - 1) * 100)
  if (percent === 0) return ['same cost']
  return [`${Math.abs(percent)} % ${percent < 0 ? 'cheaper' : 'more expensive'}`]
}
