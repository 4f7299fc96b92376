import type { ScheduleShape } from '../schedules/contract.ts'
import type { Options } from './command.ts'
import { openManagementApi } from './declared/management-api.ts'

type Replayed = { runIds: string[]; more: boolean }

export async function replayFailed({
  with: failedWith,
  since,
  webhook,
  ...access
}: Options): Promise<number> {
  if (!since) throw new Error('Say how far back: --since 2h, --since 3d or --since 2026-11-18T09:00:00Z.')
  await using api = openManagementApi(access)
  const asked = {
    failedWith: failedWith ?? 'model_unavailable',
    since: readTime(since).toISOString(),
    ...(webhook ? { webhookId: webhook } : {}),
  }
  let replayed = 0
  for (let more = true; more; ) {
    const answer = await api.send<Replayed>('POST', '/events/replay', asked)
    replayed += answer.runIds.length
    more = answer.more && answer.runIds.length > 0
  }
  process.stdout.write(`${replayed} ${replayed === 1 ? 'event is' : 'events are'} replayed.\n`)
  return 0
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

function readTime(text: string): Date {
  const [, count, unit = ''] = /^(\d+)([mhd])$/.exec(text) ?? []
  const time = count ? new Date(Date.now() - Number(count) * (units[unit] ?? 0)) : new Date(text)
  if (Number.isNaN(time.getTime()))
    throw new Error(`--since ${text}: use 30m, 2h, 3d or a date and time such as 2026-11-18T09:00:00Z.`)
  return time
}

type Keys = { jwksUrl: string; keys: { id: string; retiredAt: string | null }[] }

export async function rotateSigningKey(access: Options): Promise<number> {
  await using api = openManagementApi(access)
  const { jwksUrl, keys } = await api.send<Keys>('POST', '/signing-keys/rotate', {})
  const current = keys.find(({ retiredAt }) => retiredAt === null)
  process.stdout.write(
    `Receipts are signed with the new key ${current?.id}. Targets find it at ${jwksUrl}; the former stays there for a day.\n`,
  )
  return 0
}

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
