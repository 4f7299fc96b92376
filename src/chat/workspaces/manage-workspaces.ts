import { ZodError } from 'zod'
import { addressRefused, invalidField, problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import { originOf } from '../../platform/http-server/origin-of.ts'
import { Secret } from '../../platform/secret.ts'
import type { Caller } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import { newId, type WorkspaceId } from '../../shared/ids.ts'
import type { VoidApprovals } from '../../shared/ports/voided.ts'
import { listSourcesOf, restoreChannels, storeChannels } from '../channels/store.ts'
import type { ExternalPlatform } from '../contract.ts'
import { lostCredentials } from '../platforms/connection.ts'
import { PlatformError } from '../platforms/platform-error.ts'
import { endWatches } from '../watches/store.ts'
import { connectionFields, isComplete, type WorkspaceInput } from './contract.ts'
import { openPlatform, openWorkspace, type PlatformContext, sealCredentials } from './open-platform.ts'
import {
  findWorkspace,
  insertWorkspace,
  removeWorkspace,
  renameWorkspace,
  updateWorkspace,
  type WorkspaceRow,
} from './store.ts'

export type WorkspaceContext = PlatformContext & {
  voidApprovals: VoidApprovals
  db: Db
  egress: Pick<Egress, 'check'>
  audit: Audit
  now: () => Date
}
type Draft = {
  id: WorkspaceId
  platform: ExternalPlatform
  settings: Record<string, string>
  credentials: Record<string, Secret>
}

export async function getWorkspace(db: Db, id: string): Promise<WorkspaceRow> {
  const workspace = await findWorkspace(db, id)
  if (!workspace) throw missing()
  return workspace
}

const missing = () => problem('not-found', 'There is no such workspace.')

/** With all secrets it is connected at once, or not created; without them it is a draft. */
export async function createWorkspace(
  ctx: WorkspaceContext,
  caller: Caller,
  platform: ExternalPlatform,
  input: WorkspaceInput,
): Promise<WorkspaceRow> {
  const id = newId('workspace', ctx.now())
  const draft = await applyInput(ctx, { id, platform, settings: {}, credentials: {} }, input)
  const connected = await connect(ctx, draft)
  const name = input.name ?? connected?.name ?? platform
  await ctx.db.transaction().execute(async (tx) => {
    await insertWorkspace(tx, {
      id,
      platform,
      name,
      settings: connected?.settings ?? draft.settings,
      sealedCredentials: sealCredentials(ctx, id, draft.credentials),
      createdBy: caller.actor.id,
    })
    await storeChannels(tx, id, connected?.channels ?? [], ctx.now())
    await ctx.audit(tx, { ...caller, action: 'workspace.created', subject: id, detail: { platform, name } })
  })
  return getWorkspace(ctx.db, id)
}

export async function changeWorkspace(
  ctx: WorkspaceContext,
  caller: Caller,
  id: WorkspaceId,
  input: WorkspaceInput,
): Promise<WorkspaceRow> {
  const before = await getWorkspace(ctx.db, id)
  const platform = requireExternal(before)
  if (Object.keys(input).every((field) => field === 'name')) return rename(ctx, before, input.name, caller)
  const known = {
    id,
    platform,
    settings: before.settings,
    credentials: openWorkspace(ctx, before).credentials,
  }
  const draft = await applyInput(ctx, known, input)
  const connected = await connect(ctx, draft)
  const saved = await ctx.db.transaction().execute(async (tx) => {
    const isOurs = await updateWorkspace(tx, before, {
      name: input.name,
      settings: connected?.settings ?? draft.settings,
      sealedCredentials: sealCredentials(ctx, id, draft.credentials),
    })
    if (!isOurs) return false
    await storeChannels(tx, id, connected?.channels ?? [], ctx.now())
    await ctx.audit(tx, {
      ...caller,
      action: 'workspace.changed',
      subject: id,
      detail: { fields: Object.keys(input) },
    })
    return true
  })
  // Somebody saved a change while we called the platform: apply ours to theirs.
  return saved ? getWorkspace(ctx.db, id) : changeWorkspace(ctx, caller, id, input)
}

/** Renaming does not involve the platform, so it works while the platform is down. */
async function rename(
  ctx: WorkspaceContext,
  { id, name: from }: WorkspaceRow,
  to: string | undefined,
  by: Caller,
): Promise<WorkspaceRow> {
  if (to !== undefined && to !== from) {
    await ctx.db.transaction().execute(async (tx) => {
      if (!(await renameWorkspace(tx, id, to))) throw missing()
      await ctx.audit(tx, { ...by, action: 'workspace.renamed', subject: id, detail: { from, to } })
    })
  }
  return getWorkspace(ctx.db, id)
}

export async function deleteWorkspace(ctx: WorkspaceContext, caller: Caller, id: WorkspaceId): Promise<void> {
  const { name, platform } = await getWorkspace(ctx.db, id)
  if (platform === 'built-in') throw problem('in-use', 'The built-in workspace cannot be removed.')
  await ctx.db.transaction().execute(async (tx) => {
    // Locks the row first, so that a webhook that is given one of its channels at the same moment is seen below.
    if (!(await removeWorkspace(tx, id))) throw missing()
    const users = await listSourcesOf(tx, id)
    if (users.length > 0) {
      throw problem(
        'in-use',
        `These webhooks and schedules post there: ${users.join(', ')}. Give them another channel first.`,
      )
    }
    await endWatches(tx, id)
    await ctx.voidApprovals(tx, { gone: id })
    await ctx.audit(tx, { ...caller, action: 'workspace.deleted', subject: id, detail: { name } })
  })
}

/** Adds channels created on the platform since, and those that were deleted here; returns the number of all channels. */
export async function refreshChannels(
  ctx: WorkspaceContext,
  caller: Caller,
  id: WorkspaceId,
): Promise<number> {
  const workspace = await getWorkspace(ctx.db, id)
  requireExternal(workspace)
  const opened = openWorkspace(ctx, workspace)
  if (!opened.isWhole) {
    throw problem(
      'workspace-unreachable',
      opened.areLost ? lostCredentials : 'The workspace is a draft. Enter what is missing to connect it.',
    )
  }
  const platform = await openPlatform(ctx, opened)
  const channels = await reach(() => platform.listChannels())
  await ctx.db.transaction().execute(async (tx) => {
    await storeChannels(tx, id, channels, ctx.now())
    for (const subject of await restoreChannels(tx, id, channels))
      await ctx.audit(tx, { ...caller, action: 'channel.restored', subject })
  })
  return channels.length
}

function requireExternal({ platform }: WorkspaceRow): ExternalPlatform {
  if (platform === 'built-in') throw problem('invalid-request', 'The built-in workspace needs no connection.')
  return platform
}

/** A merge patch: absent keeps, null clears. A stored secret is never sent to another address than the one it was entered for. */
async function applyInput(ctx: WorkspaceContext, before: Draft, input: WorkspaceInput): Promise<Draft> {
  const allowed = connectionFields[before.platform]
  const settings = { ...before.settings }
  const credentials = { ...before.credentials }
  for (const [field, value] of Object.entries(input)) {
    if (field === 'name' || value === undefined) continue
    const isSecret = allowed.secrets.includes(field)
    if (!isSecret && ![...allowed.required, ...allowed.optional].includes(field)) {
      throw invalidField(`/${field}`, `${before.platform} has no such field.`)
    }
    if (value === null) delete (isSecret ? credentials : settings)[field]
    else if (isSecret) credentials[field] = new Secret(value)
    else settings[field] = value
  }
  for (const field of ['apiUrl', 'serviceUrl', 'loginUrl', 'openIdUrl'] as const) {
    if (originOf(settings[field]) === originOf(before.settings[field])) continue
    for (const secret of allowed.secrets) if (!(secret in input)) delete credentials[secret]
    await refuseAddress(ctx, field, settings[field])
  }
  return { ...before, settings, credentials }
}

async function refuseAddress(ctx: WorkspaceContext, field: string, url: string | undefined): Promise<void> {
  if (url === undefined) return
  const refusal = await ctx.egress.check(url, 'workspace')
  if (refusal) throw addressRefused(refusal, `/${field}`)
}

/** Null if something is missing. */
async function connect(ctx: WorkspaceContext, draft: Draft) {
  if (!isComplete(draft.platform, draft)) return null
  const platform = await openPlatform(ctx, draft)
  return reach(async () => {
    const { name, settings } = await platform.identify()
    await platform.subscribe?.()
    return { name, settings: { ...draft.settings, ...settings }, channels: await platform.listChannels() }
  }, connectionFields[draft.platform].secrets[0])
}

/** `secret` is the field to blame when the platform refuses. */
async function reach<T>(call: () => Promise<T>, secret?: string): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ZodError) {
      const detail = 'The server at this address does not behave like the platform. Check the address.'
      throw problem('workspace-unreachable', detail, { cause: error })
    }
    if (!(error instanceof PlatformError)) throw error
    const detail = `${error.message} Check the token and the address.`
    const isRefused = error.kind === 'revoked' || error.kind === 'refused'
    throw problem('workspace-unreachable', detail, {
      cause: error,
      ...(secret && isRefused ? { errors: [{ pointer: `/${error.secret ?? secret}`, detail }] } : {}),
    })
  }
}
