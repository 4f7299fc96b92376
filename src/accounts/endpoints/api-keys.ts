import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { idParam } from '../../http/id-param.ts'
import { pageOf, pageQuery, searchText, toPage } from '../../http/paging.ts'
import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import type { VoidApprovals } from '../../shared/ports/voided.ts'
import { createApiKey } from '../api-keys/create-api-key.ts'
import { recordAudit } from '../audit-log/record-audit.ts'
import { apiKeyShape, changeApiKeyBody, createApiKeyBody, createdApiKeyShape } from '../contract.ts'
import { findApiKeyById, listApiKeyRows, revokeApiKeyRow, toApiKey, updateApiKey } from '../store/api-keys.ts'

type Context = { db: Db; voidApprovals: VoidApprovals }

const define = endpoint<Context>()
const params = z.object({ id: idParam('apiKey') })

export const listApiKeys = define({
  summary: 'List the API keys, newest first; `q` matches part of the name, the prefix or who created the key',
  query: pageQuery.extend({ q: searchText }),
  returns: pageOf(apiKeyShape),
  answer: async ({ db }, { query }) => toPage((await listApiKeyRows(db, query)).map(toApiKey), query.limit),
})

export const addApiKey = define({
  summary: 'Create an API key; the key is shown only in this response',
  body: createApiKeyBody,
  status: 201,
  returns: createdApiKeyShape,
  answer: (ctx, { caller, body }) => createApiKey(ctx, caller, body),
})

export const readApiKey = define({
  summary: 'Get an API key; the key itself is not stored',
  params,
  returns: apiKeyShape,
  async answer({ db }, { params: { id } }) {
    const key = await findApiKeyById(db, id)
    if (!key) throw unknownKey()
    return toApiKey(key)
  },
})

export const patchApiKey = define({
  summary: 'Change the name or role of an API key; takes effect immediately',
  params,
  body: changeApiKeyBody,
  returns: apiKeyShape,
  async answer({ db, voidApprovals }, { caller, params: { id }, body }) {
    return db.transaction().execute(async (tx) => {
      const changed = await updateApiKey(tx, id, body)
      if (!changed) throw unknownKey()
      if (body.role) await voidApprovals(tx, { requesterId: id, role: changed.role })
      await recordAudit(tx, { ...caller, action: 'api-key.changed', subject: id, detail: body })
      return toApiKey(changed)
    })
  },
})

export const dropApiKey = define({
  summary: 'Revoke an API key; it stops working at once',
  params,
  async answer({ db, voidApprovals }, { caller, params: { id } }) {
    await db.transaction().execute(async (tx) => {
      if (!(await revokeApiKeyRow(tx, id))) throw unknownKey()
      await voidApprovals(tx, { requesterId: id, role: null })
      await recordAudit(tx, { ...caller, action: 'api-key.revoked', subject: id })
    })
  },
})

function unknownKey() {
  return problem('not-found', 'There is no API key with this id, or it was revoked.')
}
