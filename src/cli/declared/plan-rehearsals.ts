import { isDeepStrictEqual } from 'node:util'
import type { DeclaredFile } from './apply-declared-config.ts'
import { type CurrentConfig, channelName, type Named } from './describe-current-config.ts'

/** What a rehearsal can try. */
const triable = ['prompt', 'model', 'ceiling', 'allowSilence'] as const

type Plan = { target: { webhookId: string } | { scheduleId: string }; change: Record<string, unknown> }

/** One for each webhook and schedule that exists and that the file would change in what the agent does. */
export function planRehearsals(current: CurrentConfig, file: DeclaredFile): Plan[] {
  return [
    ...file.webhooks.flatMap((one) =>
      plan(current, current.webhooks, one).map(({ id, change }) => ({ target: { webhookId: id }, change })),
    ),
    ...file.schedules.flatMap((one) =>
      plan(current, current.schedules, { ...one, rules: undefined }).map(({ id, change }) => ({
        target: { scheduleId: id },
        change,
      })),
    ),
  ]
}

function plan(
  current: CurrentConfig,
  things: readonly Named[],
  { rules, connectors, ...declared }: DeclaredFile['webhooks'][number],
): { id: string; change: Record<string, unknown> }[] {
  const saved = things.find(({ name }) => name === declared.name)
  // A new one has no past.
  if (!saved) return []
  const wanted: Record<string, unknown> = Object.fromEntries(
    triable.filter((name) => name in declared).map((name) => [name, declared[name]]),
  )
  if (rules) wanted.rules = rules.map((rule) => withChannelId(current, rule))
  if (connectors !== undefined)
    wanted.connectorIds =
      connectors?.map((name) => {
        const found = current.connectors.find((connector) => connector.name === name)
        if (!found)
          throw new Error(
            `${declared.name}: There is no connector "${name}" yet. Apply the connectors first, and then rehearse.`,
          )
        return found.id
      }) ?? null
  const change = Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => !isDeepStrictEqual(value, saved[name])),
  )
  return Object.keys(change).length > 0 ? [{ id: saved.id, change }] : []
}

function withChannelId(
  { channels }: CurrentConfig,
  { channel, ...rule }: Record<string, unknown>,
): Record<string, unknown> {
  if (typeof channel !== 'string') return rule
  const found = channels.find((one) => channelName(one) === channel || one.name === channel)
  if (!found) throw new Error(`A rule names the channel "${channel}", which does not exist.`)
  return { ...rule, channelId: found.id }
}
