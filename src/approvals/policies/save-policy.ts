import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { invalidField, problem } from '../../http/problems.ts'
import type { Conditions } from '../../platform/conditions/open-conditions.ts'
import type { Db } from '../../platform/db/database.ts'
import { shortChanges } from '../../revisions/compare-documents.ts'
import { forgetRevisions, type Restored, recordRevisions } from '../../revisions/store.ts'
import type { Actor } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import { newId, type PolicyId } from '../../shared/ids.ts'
import type { PolicyInput, PolicyPatch, PolicyShape } from './contract.ts'
import { conditionNames } from './match-policies.ts'
import { refuseMissingGroups } from './refuse-missing-groups.ts'
import {
  type BoundTool,
  deletePolicy,
  insertPolicy,
  listPolicies,
  lockOrder,
  lockPolicy,
  movePolicy,
  updatePolicy,
} from './store.ts'

type Tool = BoundTool & { capability: string; permission: string }

export type PolicyContext = {
  db: Db
  audit: Audit
  conditions: Conditions
  tools: { find(name: string): Promise<Tool | null> }
}

type Caller = { actor: Actor; source?: string | undefined }

const mostPolicies = 500

export async function createPolicy(
  ctx: PolicyContext,
  caller: Caller,
  input: PolicyInput,
): Promise<PolicyShape> {
  const tool = await checkPolicy(ctx, input)
  const id = newId('policy')
  const { kind, id: actorId, name } = caller.actor
  return await ctx.db.transaction().execute(async (tx) => {
    await lockOrder(tx)
    await refuseMissingGroups(tx, input)
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from policies`.execute(tx)
    if ((rows[0]?.count ?? 0) >= mostPolicies)
      throw problem(
        'in-use',
        `There are ${mostPolicies} policies already. Delete one that is no longer needed.`,
      )
    await insertPolicy(tx, { id, input, tool }, { kind, id: actorId, name })
    await recordRevisions(tx, caller.actor, [
      { subject: id, before: null, after: (await lock(tx, id)).input },
    ])
    await ctx.audit(tx, { ...caller, action: 'policy.created', subject: id, detail: input })
    return await readBack(tx, id)
  })
}

/** Saving binds the policy to the tool as it is now, so whoever saves it has seen it with that tool. */
export async function changePolicy(
  ctx: PolicyContext,
  caller: Caller,
  id: PolicyId,
  patch: PolicyPatch,
  restored: Restored = {},
): Promise<PolicyShape> {
  const { position, ...changes } = patch
  // Before the lock: the check uses other connections, and whoever waits for the lock may have taken them all.
  const checked = Object.keys(changes).length > 0 ? await checkChange(ctx, id, changes) : null
  const saved = await ctx.db.transaction().execute(async (tx) => {
    await lockOrder(tx)
    const known = await lock(tx, id)
    if (checked) {
      if (!isDeepStrictEqual(checked.input, { ...known.input, ...changes })) return null
      await refuseMissingGroups(tx, checked.input)
      // Whoever applies the same file again changes nothing.
      if (!isDeepStrictEqual(checked, { input: known.input, tool: known.tool }))
        await updatePolicy(tx, { id, ...checked })
    }
    if (position !== undefined) await movePolicy(tx, id, position)
    const save = { subject: id, before: known.input, after: (await lock(tx, id)).input }
    await recordRevisions(tx, caller.actor, [save], restored)
    await ctx.audit(tx, {
      ...caller,
      action: 'policy.changed',
      subject: id,
      detail: { ...patch, ...shortChanges(save.before, save.after), ...restored },
    })
    return await readBack(tx, id)
  })
  // Null if somebody else changed it between the check and the lock.
  return saved ?? (await changePolicy(ctx, caller, id, patch, restored))
}

async function checkChange(ctx: PolicyContext, id: PolicyId, changes: PolicyPatch) {
  const input: PolicyInput = { ...(await lock(ctx.db, id)).input, ...changes }
  const { toolId, toolVersion, connectorVersion } = await checkPolicy(ctx, input)
  return { input, tool: { toolId, toolVersion, connectorVersion } }
}

export async function removePolicy(ctx: PolicyContext, caller: Caller, id: PolicyId): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await lockOrder(tx)
    if (!(await deletePolicy(tx, id))) throw unknownPolicy()
    await forgetRevisions(tx, [id])
    await ctx.audit(tx, { ...caller, action: 'policy.deleted', subject: id })
  })
}

async function lock(tx: Db, id: PolicyId) {
  const known = await lockPolicy(tx, id)
  if (!known) throw unknownPolicy()
  return known
}

async function readBack(tx: Db, id: PolicyId): Promise<PolicyShape> {
  const [policy] = await listPolicies(tx, { id })
  if (!policy) throw unknownPolicy()
  return policy
}

export function unknownPolicy() {
  return problem('not-found', 'There is no policy with this id, or it was deleted.')
}

/** What may be saved, or tried on the past. Returns the tool that it is about. `at` is where the policy is in the request. */
export async function checkPolicy(
  { db, conditions, tools }: Pick<PolicyContext, 'db' | 'conditions' | 'tools'>,
  input: Omit<PolicyInput, 'name'>,
  at = '',
): Promise<Tool> {
  const tool = await tools.find(input.tool)
  if (!tool)
    throw invalidField(
      `${at}/tool`,
      `There is no tool ${input.tool} that is switched on. Use its name as the agent sees it.`,
    )
  const fault = await conditions.check(input.when, conditionNames)
  if (fault) throw invalidField(`${at}/when`, `Character ${fault.at}: ${fault.says}`)
  if (input.then === 'auto') refuseUnboundedYes(input, tool, at)
  const { webhookIds = [], channelIds = [] } = input.for ?? {}
  const { rows } = await sql<{ pointer: string; id: string }>`
    select '/for/webhookIds' as pointer, g.id from unnest(${webhookIds}::text[]) as g (id)
    where not exists (select from webhooks w where w.id = g.id and w.state <> 'deleted')
    union all
    select '/for/channelIds', g.id from unnest(${channelIds}::text[]) as g (id)
    where not exists (select from channels c where c.id = g.id and c.deleted_at is null)`.execute(db)
  const [missing] = rows
  if (missing) throw invalidField(`${at}${missing.pointer}`, `There is no ${missing.id}, or it was deleted.`)
  return tool
}

function refuseUnboundedYes({ cap }: Omit<PolicyInput, 'name'>, { capability }: Tool, at: string): void {
  if (capability === 'destructive')
    throw invalidField(`${at}/then`, 'A destructive call is never automatic. Use approve, confirm or deny.')
  if (!cap)
    throw invalidField(
      `${at}/cap`,
      'An automatic policy needs a cap, for example {"calls": 20, "per": "day"}: without one, whoever can make the agent ask could do so without end.',
    )
}
