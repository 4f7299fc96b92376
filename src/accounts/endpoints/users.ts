import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { idParam } from '../../http/id-param.ts'
import { pageOf, pageQuery, searchText, toPage } from '../../http/paging.ts'
import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import { changeUserBody, createUserBody, invitedUserShape, linkShape, userShape } from '../contract.ts'
import { findUser, listUserRows, toUser } from '../store/users.ts'
import { disableTotpOf } from '../totp/manage-totp.ts'
import { changeUser, deleteUser, type RightsTaken } from '../users/change-user.ts'
import { createResetLink } from '../users/create-reset-link.ts'
import { createUser } from '../users/create-user.ts'

type Context = RightsTaken & { db: Db; publicUrl: string }

const define = endpoint<Context>()
const params = z.object({ id: idParam('user') })

export const listUsers = define({
  summary: 'List the people who may sign in, newest first; `q` is a part of the name or e-mail address',
  query: pageQuery.extend({ q: searchText }),
  returns: pageOf(userShape),
  answer: async ({ db }, { query }) => toPage((await listUserRows(db, query)).map(toUser), query.limit),
})

export const addUser = define({
  summary: 'Invite somebody; answers with the one-time link to send to them',
  body: createUserBody,
  status: 201,
  returns: invitedUserShape,
  problems: ['email-taken'],
  answer: (ctx, { caller, body }) => createUser(ctx, caller, body),
})

export const readUser = define({
  summary: 'Show a user',
  params,
  returns: userShape,
  async answer({ db }, { params: { id } }) {
    const user = await findUser(db, id)
    if (!user) throw problem('not-found', 'There is no user with this id.')
    return toUser(user)
  },
})

export const patchUser = define({
  summary: 'Change name, e-mail address or role, or disable a user; in force at once',
  params,
  body: changeUserBody,
  returns: userShape,
  problems: ['email-taken', 'last-admin'],
  answer: (ctx, { caller, params: { id }, body }) => changeUser(ctx, caller, id, body),
})

export const dropUser = define({
  summary: 'Remove a user',
  params,
  problems: ['last-admin'],
  answer: (ctx, { caller, params: { id } }) => deleteUser(ctx, caller, id),
})

export const addResetLink = define({
  summary: 'Make a one-time link with which the user chooses a new password',
  params,
  status: 201,
  returns: linkShape,
  answer: (ctx, { caller, params: { id } }) => createResetLink(ctx, caller, { id }),
})

export const disableUserTotp = define({
  summary: 'Switch off the second factor of somebody who lost it',
  params,
  answer: ({ db }, { caller, params: { id } }) => disableTotpOf(db, caller, id),
})
