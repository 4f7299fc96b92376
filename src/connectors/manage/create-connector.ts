import type { Caller } from '../../shared/actor.ts'
import type { NewHttpConnector } from '../contract.ts'
import { draftOf } from './draft/draft.ts'
import { insertDraft, refuseMissingSecret, type SaveContext, validateConnector } from './draft/save-draft.ts'
import { getConnector } from './get-connector.ts'
import { type ShownConnector, showConnector } from './show-connector.ts'

/** All or nothing: if one tool is bad, the connector is not saved. */
export async function createConnector(
  ctx: SaveContext,
  caller: Caller,
  given: NewHttpConnector,
): Promise<ShownConnector> {
  const { draft, errors } = draftOf(given)
  errors.push(...refuseMissingSecret(draft, errors))
  await validateConnector(ctx, draft, errors, 'a new connector')
  return await ctx.db.transaction().execute(async (tx) => {
    const id = await insertDraft(ctx, tx, draft, caller)
    return showConnector(ctx, await getConnector(tx, id))
  })
}
