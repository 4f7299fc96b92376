import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { pageOf, pageQuery, toPage } from '../../http/paging.ts'
import { invalidField, problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Audit } from '../../shared/audit.ts'
import { workspaceIdShape } from '../contract.ts'
import { identityBody, identityShape, linkCodeShape } from '../workspaces/contract.ts'
import { getWorkspace } from '../workspaces/manage-workspaces.ts'
import { hashLinkCode, newLinkCode } from './link-code.ts'
import {
  findUser,
  type IdentityRow,
  listIdentities as readIdentities,
  removeIdentity,
  saveCode,
  saveIdentity,
} from './store.ts'

type Context = { db: Db; audit: Audit }

const define = endpoint<Context>()
const ofWorkspace = z.object({ id: workspaceIdShape })
const ofAccount = z.object({ id: workspaceIdShape, externalId: z.string().min(1).max(200) })
const list = pageOf(identityShape)

const noUser = () => invalidField('/userId', 'There is no such user.')

export const listIdentities = define({
  summary: 'List the chat accounts of a workspace that are linked to users',
  params: ofWorkspace,
  query: pageQuery,
  returns: list,
  async answer({ db }, { params: { id }, query }) {
    await getWorkspace(db, id)
    return toPage((await readIdentities(db, { workspaceId: id }, query)).map(render), query.limit)
  },
})

export const linkIdentity = define({
  summary: 'Link a chat account to a user',
  params: ofAccount,
  body: identityBody,
  problems: ['not-found', 'invalid-input'],
  async answer(ctx, { params: { id, externalId }, body, caller }) {
    await getWorkspace(ctx.db, id)
    const user = await findUser(ctx.db, body.userId)
    if (!user) throw noUser()
    await ctx.db.transaction().execute(async (tx) => {
      const identity = { workspaceId: id, externalId, userId: user.id, name: body.name ?? externalId }
      if (!(await saveIdentity(tx, { ...identity, linkedBy: caller.actor.id }))) throw noUser()
      await ctx.audit(tx, { ...caller, action: 'chat_account.linked', subject: user.id, detail: identity })
    })
  },
})

export const unlinkIdentity = define({
  summary: 'Unlink a chat account',
  params: ofAccount,
  problems: ['not-found'],
  async answer(ctx, { params: { id, externalId }, actor, caller }) {
    await ctx.db.transaction().execute(async (tx) => {
      // People may unlink their own accounts, an admin anybody's.
      const whose = await removeIdentity(tx, id, externalId, actor.role === 'admin' ? null : actor.id)
      if (whose === null) throw problem('not-found', 'There is no such linked account.')
      await ctx.audit(tx, {
        ...caller,
        action: 'chat_account.unlinked',
        subject: whose,
        detail: { workspaceId: id, externalId },
      })
    })
  },
})

export const listOwnIdentities = define({
  summary: 'List your linked chat accounts',
  query: pageQuery,
  returns: list,
  answer: async ({ db }, { actor, query }) =>
    toPage((await readIdentities(db, { userId: actor.id }, query)).map(render), query.limit),
})

export const addLinkCode = define({
  summary: 'Create a code that links your chat account; send it to the agent from that account',
  status: 201,
  returns: linkCodeShape,
  problems: ['forbidden'],
  async answer(ctx, { actor }) {
    const code = newLinkCode()
    const expiresAt = await ctx.db.transaction().execute((tx) => saveCode(tx, actor.id, hashLinkCode(code)))
    if (!expiresAt) throw problem('forbidden', 'Only a signed-in person has chat accounts.')
    return { code, text: `link ${code}`, expiresAt: expiresAt.toISOString() }
  },
})

function render({ linkedAt, ...row }: IdentityRow) {
  return { ...row, linkedAt: linkedAt.toISOString() }
}
