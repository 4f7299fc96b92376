import { isDeepStrictEqual } from 'node:util'
import { addressRefused, type FieldError, invalidFields, problem } from '../../../http/problems.ts'
import type { Vault } from '../../../platform/crypto/vault.ts'
import type { Db } from '../../../platform/db/database.ts'
import type { Egress } from '../../../platform/egress/open-egress.ts'
import { Secret } from '../../../platform/secret.ts'
import { shortChanges } from '../../../revisions/compare-documents.ts'
import { type Restored, recordRevisions } from '../../../revisions/store.ts'
import { type Actor, type Caller, mayActAs } from '../../../shared/actor.ts'
import type { Audit } from '../../../shared/audit.ts'
import { type ConnectorId, newId, type ToolId } from '../../../shared/ids.ts'
import type { VoidApprovals } from '../../../shared/ports/voided.ts'
import { maskKeysInUrl } from '../../auth/credential-in-url.ts'
import { usesOauth, writeOauth } from '../../auth/oauth-settings.ts'
import { modelNameFor, slugFor } from '../../call/name-for-model.ts'
import { forgetGrantIfOther } from '../../oauth/forget-grant.ts'
import {
  authPlace,
  clientSecretPlace,
  draftToolFromRow,
  editableDraft,
  headerPlace,
  type LoadedConnector,
} from '../get-connector.ts'
import { judgeToolChange, whyAdminOnly } from '../judge-tool-change.ts'
import {
  type ConnectorRow,
  type ConnectorWrite,
  deleteTools,
  type HeaderRow,
  insertConnector,
  insertTools,
  lockSlugs,
  moveTool,
  replaceHeaders,
  type ToolRow,
  type ToolWrite,
  updateConnector,
  updateTool,
} from '../store.ts'
import { listUndecryptable } from '../undecryptable-secrets.ts'
import { checkDraft } from './check-draft.ts'
import type { Draft, DraftTool } from './draft.ts'

export type SaveContext = {
  db: Db
  vault: Vault
  egress: Egress
  audit: Audit
  voidApprovals: VoidApprovals
}

/** The egress checks the address first, which may need a DNS lookup; the transaction must be short. */
export async function validateConnector(
  ctx: SaveContext,
  draft: Draft,
  errors: FieldError[],
  purpose: string,
  { skipsTools = false } = {},
): Promise<void> {
  const found = [...errors, ...(await checkDraft(draft, { skipsTools }))]
  if (found.length > 0) throw invalidFields(found)
  const refused = await ctx.egress.check(draft.baseUrl, purpose)
  if (refused) throw addressRefused(refused, '/baseUrl')
}

/** `errors` are what is wrong with the value already. */
export function refuseMissingSecret(
  { authType, authValue }: Draft,
  errors: readonly FieldError[],
): FieldError[] {
  if (authType === 'none' || usesOauth(authType) || authValue || errors.length > 0) return []
  return [{ pointer: '/authValue', detail: `The auth type ${authType} needs a value.` }]
}

export async function insertDraft(ctx: SaveContext, tx: Db, draft: Draft, by: Caller): Promise<ConnectorId> {
  for (const tool of draft.tools) requireAdmin(by.actor, judgeToolChange(null, tool))
  const connector = await insertConnectorColumns(ctx, tx, 'http', draft)
  const { id } = connector
  await replaceHeaders(tx, id, headerRows(ctx, id, draft))
  await addTools(
    tx,
    draft.tools.map((tool, position) => toolWrite(connector, tool, position)),
    by.actor,
  )
  await ctx.audit(tx, {
    ...by,
    action: 'connector.created',
    subject: id,
    detail: { name: draft.name, baseUrl: draft.baseUrl, tools: draft.tools.length },
  })
  return id
}

/** The columns that both types of connector have. */
type ConnectorColumns = Pick<
  Draft,
  'name' | 'baseUrl' | 'authType' | 'authName' | 'authValue' | 'oauth' | 'timeoutMs' | 'signRequests'
>

export async function insertConnectorColumns(
  ctx: SaveContext,
  tx: Db,
  type: 'http' | 'mcp',
  facts: ConnectorColumns,
): Promise<Pick<ConnectorRow, 'id' | 'slug'>> {
  const taken = await lockSlugs(tx)
  const named = { id: newId('connector'), slug: slugFor(facts.name, (slug) => taken.has(slug)) }
  await insertConnector(tx, { ...connectorColumns(ctx, named.id, facts), ...named, type })
  return named
}

export function connectorColumns(
  { vault }: SaveContext,
  id: ConnectorId,
  facts: ConnectorColumns,
): ConnectorWrite {
  const { name, baseUrl, authType, authName, timeoutMs, signRequests } = facts
  const authValue = facts.authValue && vault.seal(facts.authValue, authPlace(id))
  const clientSecret = facts.oauth?.clientSecret ?? null
  const oauthSecret = clientSecret && vault.seal(clientSecret, clientSecretPlace(id))
  const oauth = writeOauth(facts.oauth)
  return { id, name, baseUrl, authType, authName, authValue, oauth, oauthSecret, timeoutMs, signRequests }
}

/** Writes only what differs and increments only those versions: a save without a change voids no approvals. */
export async function updateDraft(
  ctx: SaveContext,
  tx: Db,
  before: LoadedConnector,
  draft: Draft,
  by: Caller,
): Promise<void> {
  const { row } = before
  const replaced = listUndecryptable(ctx, before).map(({ field }) => field)
  const former = editableDraft(ctx, before)
  const changedFields = [...new Set([...changesOf(former, draft), ...replaced])]
  if (changedFields.includes('baseUrl')) {
    for (const tool of before.tools) requireAdmin(by.actor, whyAdminOnly(tool))
  }
  if (changedFields.length > 0) {
    await forgetGrantIfOther(tx, row.id, former, draft)
    await updateConnector(tx, connectorColumns(ctx, row.id, draft))
    await replaceHeaders(tx, row.id, headerRows(ctx, row.id, draft))
  }
  const tools = await updateTools(tx, before, draft, by.actor)
  if (changedFields.length === 0 && tools.length === 0) return
  await ctx.voidApprovals(tx, { connectorId: row.id })
  await ctx.audit(tx, {
    ...by,
    action: 'connector.changed',
    subject: row.id,
    detail: {
      name: draft.name,
      fields: changedFields,
      ...shortChanges(openFacts(former), openFacts(draft)),
      tools,
    },
  })
}

/** What of a connector is no secret, and told in a few words. */
export function openFacts({ name, baseUrl, authType, authName, timeoutMs, signRequests }: Draft) {
  return { name, baseUrl: maskKeysInUrl(baseUrl), authType, authName, timeoutMs, signRequests }
}

async function updateTools(tx: Db, before: LoadedConnector, draft: Draft, actor: Actor): Promise<string[]> {
  const byName = new Map(before.tools.map((tool) => [tool.name, tool]))
  const kept = new Set(draft.tools.map(({ name }) => name))
  const gone = before.tools.filter(({ name }) => !kept.has(name))
  await deleteTools(
    tx,
    gone.map((tool) => tool.id),
  )
  const added: ToolWrite[] = []
  const changed: string[] = gone.map(({ name }) => `-${name}`)
  for (const [position, tool] of draft.tools.entries()) {
    const old = byName.get(tool.name)
    if (!old) {
      requireAdmin(actor, judgeToolChange(null, tool))
      added.push(toolWrite(before.row, tool, position))
      changed.push(`+${tool.name}`)
    } else if (await changeTool(tx, old, toolWrite(before.row, tool, position, old.id), actor)) {
      changed.push(tool.name)
    } else {
      await moveTool(tx, old.id, position)
    }
  }
  await addTools(tx, added, actor)
  return changed
}

async function addTools(tx: Db, added: readonly ToolWrite[], actor: Actor): Promise<void> {
  await insertTools(tx, added)
  const saves = added.map((write) => ({ subject: write.id, before: null, after: draftToolFromRow(write) }))
  await recordRevisions(tx, actor, saves)
}

/** False if nothing but its position in the list is new. */
export async function changeTool(
  tx: Db,
  old: ToolRow,
  write: ToolWrite,
  actor: Actor,
  restored: Restored = {},
): Promise<boolean> {
  if (isDeepStrictEqual({ ...old, ...write, position: old.position }, old)) return false
  requireAdmin(actor, judgeToolChange(old, write) ?? whyAdminOnly(old))
  await updateTool(tx, write)
  const save = { subject: old.id, before: draftToolFromRow(old), after: draftToolFromRow(write) }
  await recordRevisions(tx, actor, [save], restored)
  return true
}

export function requireAdmin(actor: Actor, reason: string | null): void {
  if (reason && !mayActAs(actor, 'admin')) throw problem('forbidden', reason)
}

export function changesOf(old: Draft, next: Draft): string[] {
  const facts = (draft: Draft): Record<string, unknown> => ({
    name: draft.name,
    baseUrl: draft.baseUrl,
    defaultHeaders: draft.headers.map(({ name, value }) => [
      name,
      typeof value === 'string' ? value : [value.reveal()],
    ]),
    authType: draft.authType,
    authName: draft.authName,
    authValue: draft.authValue?.reveal() ?? null,
    oauth: [writeOauth(draft.oauth), draft.oauth?.clientSecret?.reveal()],
    timeoutMs: draft.timeoutMs,
    signRequests: draft.signRequests,
  })
  const [one, other] = [facts(old), facts(next)]
  return Object.keys(one).filter((key) => JSON.stringify(one[key]) !== JSON.stringify(other[key]))
}

export function headerRows({ vault }: SaveContext, connectorId: ConnectorId, draft: Draft): HeaderRow[] {
  return draft.headers.map(({ name, value }) => {
    const id = `${connectorId}/${name.toLowerCase()}`
    return value instanceof Secret
      ? { id, name, value: null, sealedValue: vault.seal(value, headerPlace(id)) }
      : { id, name, value, sealedValue: null }
  })
}

export function toolWrite(
  connector: Pick<ConnectorRow, 'id' | 'slug'>,
  tool: DraftTool,
  position: number,
  id: ToolId = newId('tool'),
): ToolWrite {
  const { name, description, method, path, capability, permission, bodyFormat } = tool
  return {
    id,
    connectorId: connector.id,
    position,
    name,
    modelName: modelNameFor(connector.slug, name),
    description,
    method,
    path,
    capability,
    permission,
    bodyFormat,
    locations: JSON.stringify(tool.locations),
    inputSchema: JSON.stringify(tool.inputSchema),
    outputSchema: tool.outputSchema && JSON.stringify(tool.outputSchema),
  }
}
