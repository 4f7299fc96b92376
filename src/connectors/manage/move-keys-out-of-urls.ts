import { Secret } from '../../platform/secret.ts'
import { systemActor } from '../../shared/actor.ts'
import { findKeyInUrl, removeFromUrl } from '../auth/credential-in-url.ts'
import { requestSecrets } from '../auth/request-secrets.ts'
import type { Draft } from './draft/draft.ts'
import { connectorColumns, headerRows, type SaveContext, toolWrite } from './draft/save-draft.ts'
import { editableDraft, getConnector } from './get-connector.ts'
import { listConnectorsWithQueries, replaceHeaders, updateConnector, updateTool } from './store.ts'
import { listUndecryptable } from './undecryptable-secrets.ts'

/**
 * Once a key could only be written into the URL, where everybody saw it. Such a key becomes the sealed query key of its connector.
 * A credential that was sent beside it stays as a secret header.
 */
export async function moveKeysOutOfUrls(ctx: SaveContext): Promise<void> {
  for (const id of await listConnectorsWithQueries(ctx.db)) {
    await ctx.db.transaction().execute(async (tx) => {
      const loaded = await getConnector(tx, id, true)
      const before = editableDraft(ctx, loaded)
      const urls = [before.baseUrl, ...loaded.tools.map(({ path }) => path ?? '')]
      const key = urls.map(findKeyInUrl).find((found) => found !== null)
      // Lost secrets would be cleared by a save; somebody must enter them first.
      if (!key || before.authType === 'query' || listUndecryptable(ctx, loaded).length > 0) return
      const after = withQueryKey(before, key)
      await updateConnector(tx, connectorColumns(ctx, id, after))
      await replaceHeaders(tx, id, headerRows(ctx, id, after))
      for (const [index, tool] of loaded.tools.entries()) {
        const draft = after.tools[index]
        if (draft && tool.path !== null && draft.path !== tool.path)
          await updateTool(tx, toolWrite(loaded.row, draft, tool.position, tool.id))
      }
      await ctx.voidApprovals(tx, { connectorId: id })
      await ctx.audit(tx, {
        actor: systemActor,
        action: 'connector.changed',
        subject: id,
        detail: {
          name: after.name,
          fields: ['authType', 'authName', 'authValue'],
          because: 'key in the URL',
        },
      })
    })
  }
}

function withQueryKey(draft: Draft, { name, value }: { name: string; value: string }): Draft {
  const isSame = (url: string) => {
    const found = findKeyInUrl(url)
    return found?.name === name && found.value === value
  }
  const clean = (url: string) => (isSame(url) ? removeFromUrl(url, name) : url)
  const sealed = Object.entries(requestSecrets(draft).headers)
  const names = sealed.map(([header]) => header.toLowerCase())
  return {
    ...draft,
    baseUrl: clean(draft.baseUrl),
    headers: [
      ...draft.headers.filter((header) => !names.includes(header.name.toLowerCase())),
      ...sealed.map(([header, text]) => ({ name: header, value: new Secret(text) })),
    ],
    authType: 'query',
    authName: name,
    authValue: new Secret(value),
    tools: draft.tools.map((tool) => ({ ...tool, path: clean(tool.path) })),
  }
}
