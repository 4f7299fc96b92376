import type { Caller } from '../../shared/actor.ts'
import type { ConnectorId } from '../../shared/ids.ts'
import type { HttpConnectorPatch } from '../contract.ts'
import { patchDraft } from './draft/draft.ts'
import { refuseMissingSecret, type SaveContext, updateDraft, validateConnector } from './draft/save-draft.ts'
import { editableDraft, getConnector } from './get-connector.ts'
import { type ShownConnector, showConnector } from './show-connector.ts'
import { listUndecryptable, refuseToKeep } from './undecryptable-secrets.ts'

/** Any edit voids the pending approvals for calls of this connector. */
export async function changeConnector(
  ctx: SaveContext,
  caller: Caller,
  id: ConnectorId,
  patch: HttpConnectorPatch,
): Promise<ShownConnector> {
  // Checked before the transaction, since that may need a DNS lookup; then applied to the row under its lock.
  await judge(ctx, id, patch)
  return await ctx.db.transaction().execute(async (tx) => {
    const before = await getConnector(tx, id, true)
    const { draft } = patchDraft(editableDraft(ctx, before), patch)
    await updateDraft(ctx, tx, before, draft, caller)
    return showConnector(ctx, await getConnector(tx, id))
  })
}

async function judge(ctx: SaveContext, id: ConnectorId, patch: HttpConnectorPatch): Promise<void> {
  const stored = await getConnector(ctx.db, id)
  const { draft, errors } = patchDraft(editableDraft(ctx, stored), patch)
  errors.push(...refuseToKeep(listUndecryptable(ctx, stored), patch))
  if (patch.authType) errors.push(...refuseMissingSecret(draft, errors))
  // Tools that the patch does not contain were checked when they were saved.
  await validateConnector(ctx, draft, errors, `connector ${id}`, { skipsTools: patch.tools === undefined })
}
