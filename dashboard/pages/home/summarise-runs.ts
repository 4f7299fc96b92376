import type { RunRow } from '../../contract.ts'

export type Slot = {
  label: string
  succeeded: number
  failed: number
  other: number
  seconds: number
  tokens: number
}

type Summary = {
  slots: Slot[]
  unit: 'hour' | 'day'
  total: number
  failed: number
  medianSeconds: number | null
  tokens: number
  cost: number
}

const hourMs = 3_600_000

/** The runs in sight, by hour when they fit into a day, else by day. */
export function summarise(runs: RunRow[], now: number): Summary {
  const oldest = Math.min(now, ...runs.map((run) => new Date(run.createdAt).getTime()))
  const hours = (now - oldest) / hourMs
  const unit = hours <= 24 ? 'hour' : 'day'
  const unitMs = unit === 'hour' ? hourMs : 24 * hourMs
  const count = unit === 'hour' ? 24 : Math.min(30, Math.ceil(hours / 24) + 1)
  const start = startOf(now, unit) - (count - 1) * unitMs
  const times: number[][] = Array.from({ length: count }, () => [])
  const slots = Array.from({ length: count }, (_, at): Slot => {
    const time = new Date(start + at * unitMs)
    const label =
      unit === 'hour'
        ? `${String(time.getHours()).padStart(2, '0')}:00`
        : time.toLocaleDateString(undefined, { month: 'short', day: 'numeric' })
    return { label, succeeded: 0, failed: 0, other: 0, seconds: 0, tokens: 0 }
  })
  for (const run of runs) {
    const at = Math.floor((new Date(run.createdAt).getTime() - start) / unitMs)
    const slot = slots[at]
    if (!slot) continue
    if (run.status === 'succeeded' || run.status === 'failed') slot[run.status] += 1
    else slot.other += 1
    slot.tokens += run.usage.inputTokens + run.usage.outputTokens
    const seconds = secondsOf(run)
    if (seconds !== null) times[at]?.push(seconds)
  }
  slots.forEach((slot, at) => {
    slot.seconds = Number((median(times[at] ?? []) ?? 0).toFixed(1))
  })
  return {
    slots,
    unit,
    total: runs.length,
    failed: runs.filter(({ status }) => status === 'failed').length,
    medianSeconds: median(times.flat()),
    tokens: runs.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0),
    cost: runs.reduce((sum, run) => sum + run.cost, 0),
  }
}

function startOf(time: number, unit: 'hour' | 'day'): number {
  const start = new Date(time)
  if (unit === 'day') start.setHours(0, 0, 0, 0)
  else start.setMinutes(0, 0, 0)
  return start.getTime()
}

/** From the bell to the reply. */
export function secondsOf(run: RunRow): number | null {
  if (run.status !== 'succeeded' || !run.endedAt) return null
  return (new Date(run.endedAt).getTime() - new Date(run.createdAt).getTime()) / 1000
}

export function median(values: number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? null
}
