import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type DeclaredFile, declaredOf, withChannelId } from './apply-declared-config.ts'
import type { CurrentConfig, Named } from './describe-current-config.ts'
import type { ManagementApi } from './management-api.ts'

/** What a rehearsal can try. */
const triable = ['prompt', 'model', 'ceiling', 'allowSilence'] as const

type Plan = { target: { webhookId: string } | { scheduleId: string }; change: Record<string, unknown> }

type Declared = DeclaredFile['webhooks'][number]

/** What an operator may read, so that a build needs no admin's key. */
type Saved = Pick<CurrentConfig, 'connectors' | 'webhooks' | 'schedules' | 'channels'>

export async function readTriable(api: ManagementApi): Promise<Saved> {
  const [connectors, webhooks, schedules, channels] = await Promise.all([
    api.list<Named>('/connectors'),
    api.list<Named>('/webhooks'),
    api.list<Named>('/schedules'),
    api.list<Named>('/channels'),
  ])
  return { connectors, webhooks, schedules, channels }
}

/** One for each webhook and schedule that exists and that the file would change in what the agent does. A new one has no past. */
export function planRehearsals(current: Saved, file: DeclaredFile): Plan[] {
  const texts = listChangedTexts(current, file)
  const plan = (
    things: readonly Named[],
    declared: readonly Declared[],
    toTarget: (id: string) => Plan['target'],
  ) =>
    things.flatMap((saved): Plan[] => {
      const one = declared.find(({ name }) => name === saved.name)
      // What nobody mentions and nobody rings need not be tried.
      if (!one && saved.active === false) return []
      const own = one ? changeOf(current, saved, one) : {}
      const tools = textsFor(texts, own.connectorIds === undefined ? saved.connectorIds : own.connectorIds)
      const change = { ...own, ...(tools && { tools }) }
      return Object.keys(change).length > 0 ? [{ target: toTarget(saved.id), change }] : []
    })
  return [
    ...plan(current.webhooks, declaredOf(file, 'webhook'), (webhookId) => ({ webhookId })),
    ...plan(current.schedules, declaredOf(file, 'schedule'), (scheduleId) => ({ scheduleId })),
  ]
}

type ChangedText = { connectorId: string; tool: string; description: string }

/** Descriptions of tools that the file would change. */
function listChangedTexts(current: Saved, file: DeclaredFile): ChangedText[] {
  return file.connectors.flatMap(({ name, tools }) => {
    const saved = current.connectors.find((connector) => connector.name === name)
    const known = toolsShape.safeParse(saved?.tools).data ?? []
    return (toolsShape.safeParse(tools).data ?? []).flatMap((tool): ChangedText[] => {
      const before = known.find((one) => one.name === tool.name)
      if (!saved || !before?.modelName || before.description === tool.description) return []
      return [{ connectorId: saved.id, tool: before.modelName, description: tool.description }]
    })
  })
}

const toolsShape = z.array(
  z.looseObject({ name: z.string(), description: z.string(), modelName: z.string().optional() }),
)

/** Of the connectors that it may use; null if none of their tools reads otherwise. */
function textsFor(texts: readonly ChangedText[], connectorIds: unknown): Record<string, unknown> | null {
  const own = texts.filter(
    ({ connectorId }) => !Array.isArray(connectorIds) || connectorIds.includes(connectorId),
  )
  if (own.length === 0) return null
  return Object.fromEntries(own.map(({ tool, description }) => [tool, { description }]))
}

function changeOf(
  current: Saved,
  saved: Named,
  { rules, connectors, ...declared }: Declared,
): Record<string, unknown> {
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
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => !isDeepStrictEqual(value, saved[name])),
  )
}
