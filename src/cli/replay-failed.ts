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
