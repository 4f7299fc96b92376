import { createHash } from 'node:crypto'
import { jsonSchema, type ToolSet as SdkTools, tool } from 'ai'
import type { Db } from '../../../platform/db/database.ts'
import type { ConnectorId } from '../../../shared/ids.ts'
import { type ListContext, listTools, type OfferedTool } from '../../../tools/list-tools.ts'
import { readToolSet, storeToolSet, touchEveryMs } from '../../store/tool-sets.ts'

/** The tools of a run, as they were at its start. */
export type ToolSet = {
  digest: string
  tools: readonly OfferedTool[]
  byName: ReadonlyMap<string, OfferedTool>
  /** For the SDK: with unchanged schemas, and without an execute function. */
  sdk: SdkTools
}

/** Descriptions that are tried instead of the saved ones, by the names of the tools. */
export type ToolTexts = Readonly<Record<string, { description: string }>>

export type ToolSets = {
  /** What a run with this scope is offered now. */
  current(connectorIds: readonly ConnectorId[] | null, texts?: ToolTexts): Promise<ToolSet>
  /** What a past run was offered. */
  recorded(digest: string): Promise<ToolSet>
}

type Context = ListContext & { db: Db; now: () => Date }

const maxCached = 200

/** Sets are identified by the versions in them, so the usual run neither writes one nor converts schemas again. */
export function openToolSets(ctx: Context): ToolSets {
  const known = new Map<string, { set: ToolSet; touchedAt: number }>()
  const remember = (set: ToolSet, touchedAt: number): ToolSet => {
    if (known.size >= maxCached) known.clear()
    known.set(set.digest, { set, touchedAt })
    return set
  }
  return {
    async current(connectorIds, texts = {}) {
      const saved = await listTools(ctx, connectorIds)
      const tools = saved.map((offered) => ({ ...offered, ...texts[offered.name] }))
      const digest = digestOf(tools, texts)
      const kept = known.get(digest)
      const now = ctx.now().getTime()
      if (kept && Math.abs(now - kept.touchedAt) < touchEveryMs) return kept.set
      await storeToolSet(ctx.db, digest, JSON.stringify(tools))
      return remember(kept?.set ?? toToolSet(digest, tools), now)
    },
    async recorded(digest) {
      const kept = known.get(digest)
      if (kept) return kept.set
      // We wrote this text ourselves, in `current`.
      const tools = JSON.parse(await readToolSet(ctx.db, digest)) as OfferedTool[]
      return remember(toToolSet(digest, tools), Number.NEGATIVE_INFINITY)
    },
  }
}

function digestOf(tools: readonly OfferedTool[], texts: ToolTexts): string {
  const versions = tools.map((offered) =>
    [offered.name, offered.toolId, offered.toolVersion, offered.connectorVersion, offered.permission].join(
      ' ',
    ),
  )
  const tried = Object.keys(texts).length > 0 ? [JSON.stringify(texts)] : []
  return createHash('sha256')
    .update([...versions, ...tried].join('\n'))
    .digest('base64url')
}

function toToolSet(digest: string, tools: readonly OfferedTool[]): ToolSet {
  return {
    digest,
    tools,
    byName: new Map(tools.map((offered) => [offered.name, offered])),
    sdk: Object.fromEntries(tools.map((offered) => [offered.name, toSdkTool(offered)])),
  }
}

function toSdkTool(offered: OfferedTool) {
  const { description, inputSchema, outputSchema } = offered
  const answers = outputSchema
    ? `\n\nIts answer follows this JSON Schema: ${JSON.stringify(outputSchema)}`
    : ''
  return tool({
    description: `${description}${answers} (${describeNeeds(offered)})`.trim(),
    // A schema is checked when its tool is saved, so it is only passed on here.
    inputSchema: jsonSchema(inputSchema as Parameters<typeof jsonSchema>[0]),
  })
}

/** Whoever knows that a call asks first reads all it needs before. */
function describeNeeds({ capability, permission }: OfferedTool): string {
  switch (permission) {
    case 'auto':
      return capability === 'read' ? 'reads' : 'changes something at once'
    case 'approve':
      return 'asks an admin'
    case 'confirm':
      return 'asks, confirmed in the channel'
    case 'off':
      return 'switched off'
    default:
      throw new Error(`Unhandled permission ${permission satisfies never}`)
  }
}
