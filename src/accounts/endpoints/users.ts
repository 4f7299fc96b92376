import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { idParam } from '../../http/id-param.ts'
import { pageOf, pageQuery, searchText, toPage } from '../../http/paging.ts'
import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import type { VoidApprovals } from '../../shared/ports/voided.ts'
import {
  changeUserBody,
  createUserBody,
  invitedUserShape,
  linkShape,
  personShape,
  userShape,
} from '../contract.ts'
import { findUser, listUserRows, toUser } from '../store/users.ts'
import { disableTotpOf } from '../totp/manage-totp.ts'
import { changeUser, deleteUser } from '../users/change-user.ts'
import { createResetLink } from '../users/create-reset-link.ts'
import { createUser } from '../users/create-user.ts'

type Context = { db: Db; publicUrl: string; voidApprovals: VoidApprovals }

const define = endpoint<Context>()
const params = z.object({ id: idParam('user') })

export const listUsers = define({
  summary: 'List users, newest first; `q` matches part of the name or email address',
  query: pageQuery.extend({ q: searchText }),
  returns: pageOf(userShape),
  answer: async ({ db }, { query }) => toPage((await listUserRows(db, query)).map(toUser), query.limit),
})

export const listPeople = define({
  summary: 'List the names of people who can sign in, newest first; `q` matches part of the name',
  query: pageQuery.extend({ q: searchText }),
  returns: pageOf(personShape),
  answer: async ({ db }, { query }) =>
    toPage(
      (await listUserRows(db, { ...query, only: 'names' })).map(({ id, name }) => ({ id, name })),
      query.limit,
    ),
})

export const addUser = define({
  summary: 'Invite a user; returns a one-time link to send to them',
  body: createUserBody,
  status: 201,
  returns: invitedUserShape,
  problems: ['email-taken', 'name-taken'],
  answer: (ctx, { caller, body }) => createUser(ctx, caller, body),
})

export const readUser = define({
  summary: 'Get a user',
  params,
  returns: userShape,
  async answer({ db }, { params: { id } }) {
    const user = await findUser(db, id)
    if (!user) throw problem('not-found', 'There is no user with this id.')
    return toUser(user)
  },
})

export const patchUser = define({
  summary: 'Change a user’s name, email address or role, or disable the user; takes effect immediately',
  params,
  body: changeUserBody,
  returns: userShape,
  problems: ['email-taken', 'name-taken', 'last-admin'],
  answer: (ctx, { caller, params: { id }, body }) => changeUser(ctx, caller, id, body),
})

export const dropUser = define({
  summary: 'Remove a user',
  params,
  problems: ['last-admin'],
  answer: (ctx, { caller, params: { id } }) => deleteUser(ctx, caller, id),
})

export const addResetLink = define({
  summary: 'Create a one-time link for the user to choose a new password',
  params,
  status: 201,
  returns: linkShape,
  answer: (ctx, { caller, params: { id } }) => createResetLink(ctx, caller, { id }),
})

export const disableUserTotp = define({
  summary: 'Switch off a user’s second factor, for somebody who lost it',
  params,
  answer: ({ db }, { caller, params: { id } }) => disableTotpOf(db, caller, id),
})
