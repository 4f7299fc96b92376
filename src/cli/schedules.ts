import type { ScheduleShape } from '../schedules/contract.ts'
import type { Options } from './command.ts'
import { openManagementApi } from './declared/management-api.ts'

/** Lists them with what was and what comes next, or runs one of them now. */
export async function schedules({ run, ...access }: Options): Promise<number> {
  await using api = openManagementApi(access)
  const all = await api.list<ScheduleShape>('/schedules')
  if (run === undefined) {
    const lines = all.length === 0 ? ['There are no schedules.'] : all.map(describe)
    process.stdout.write(`${lines.join('\n')}\n`)
    return 0
  }
  const named = all.filter(({ id, name }) => id === run || name === run)
  const [schedule, ...others] = named
  if (!schedule) throw new Error(`There is no schedule with the name or id “${run}”.`)
  if (others.length > 0)
    throw new Error(
      `${named.length} schedules are called “${run}”: ${named.map(({ id }) => id).join(', ')}. Give an id.`,
    )
  const { runId } = await api.send<{ runId: string }>('POST', `/schedules/${schedule.id}/run-now`, {})
  process.stdout.write(`“${schedule.name}” runs now: ${runId}\n`)
  return 0
}

function describe({
  id,
  name,
  inWords,
  active,
  paused,
  pauseReason,
  nextTimes,
  lastOutcomes,
}: ScheduleShape): string {
  const next = paused ? `paused: ${pauseReason}` : active ? `next ${nextTimes[0] ?? 'none'}` : 'inactive'
  const [last] = lastOutcomes
  return [id, name, inWords, next, last ? `last ${last.dueAt} ${last.status}` : 'has not run yet'].join(' · ')
}
