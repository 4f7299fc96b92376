import { endpoint } from '../../http/endpoint.ts'
import { problem } from '../../http/problems.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Actor } from '../../shared/actor.ts'
import {
  changeMeBody,
  type Me,
  meShape,
  recoveryCodesShape,
  totpConfirmBody,
  totpEnrolBody,
  totpSecretShape,
} from '../contract.ts'
import { readSessionCookie } from '../signing-in/session-cookie.ts'
import { findUser, type UserRow } from '../store/users.ts'
import { confirmTotp, disableTotp, enrolTotp } from '../totp/manage-totp.ts'
import { changeMe } from '../users/change-me.ts'
import { meOf } from './answer-signed-in.ts'

type Context = { db: Db; vault: Vault; publicUrl: string; now: () => Date }

const define = endpoint<Context>()

export const readMe = define({
  summary: 'Get your own account',
  returns: meShape,
  async answer({ db }, { actor }): Promise<Me> {
    const { id, name, role } = actor
    // Callers without a role never get this far.
    if (role === 'none') throw new Error('An actor without a role passed the access check.')
    if (actor.kind === 'api-key') {
      return { kind: 'api-key', id, name, role, email: null, hasPassword: false, totp: false, locale: null }
    }
    return meOf(await personOf(db, actor))
  },
})

export const patchMe = define({
  summary: 'Change your own name, password or language of dates and numbers',
  body: changeMeBody,
  returns: meShape,
  problems: ['name-taken', 'too-many-requests'],
  async answer(ctx, { actor, body, raw, source }) {
    const user = await personOf(ctx.db, actor)
    return meOf(await changeMe(ctx, user, body, { source, token: readSessionCookie(ctx, raw) }))
  },
})

export const enrolMyTotp = define({
  summary: 'Start setting up a second factor; returns the secret for the authenticator app',
  body: totpEnrolBody,
  returns: totpSecretShape,
  problems: ['in-use', 'too-many-requests'],
  answer: async (ctx, { actor, body, source }) =>
    enrolTotp(ctx, await personOf(ctx.db, actor), body.password, source),
})

export const confirmMyTotp = define({
  summary: 'Switch on the second factor with a first code, or create new recovery codes with a later one',
  body: totpConfirmBody,
  returns: recoveryCodesShape,
  problems: ['in-use', 'too-many-requests'],
  answer: async (ctx, { actor, body, source }) => ({
    recoveryCodes: await confirmTotp(ctx, await personOf(ctx.db, actor), body.code, source),
  }),
})

export const disableMyTotp = define({
  summary: 'Switch off your second factor',
  body: totpEnrolBody,
  problems: ['too-many-requests'],
  async answer(ctx, { actor, body, source }) {
    await disableTotp(ctx, await personOf(ctx.db, actor), body.password, source)
  },
})

async function personOf(db: Db, actor: Actor): Promise<UserRow> {
  const user = actor.kind === 'user' ? await findUser(db, actor.id) : null
  if (!user) throw problem('forbidden', 'An API key has no password or second factor. Sign in as a person.')
  return user
}
