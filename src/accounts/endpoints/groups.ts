import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { idParam } from '../../http/id-param.ts'
import { pageOf, pageQuery, searchText, toPage } from '../../http/paging.ts'
import type { Db } from '../../platform/db/database.ts'
import { groupPatchBody, groupShape, newGroupBody } from '../contract.ts'
import { changeGroup, createGroup, deleteGroup, getGroup, toGroup } from '../groups/manage-groups.ts'
import { listGroupRows } from '../store/groups.ts'

const define = endpoint<{ db: Db }>()
const params = z.object({ id: idParam('group') })

export const listGroups = define({
  summary: 'List the groups of approvers, newest first; `q` matches part of the name',
  query: pageQuery.extend({ q: searchText }),
  returns: pageOf(groupShape),
  answer: async ({ db }, { query }) => toPage((await listGroupRows(db, query)).map(toGroup), query.limit),
})

export const addGroup = define({
  summary: 'Create a group of approvers',
  body: newGroupBody,
  status: 201,
  returns: groupShape,
  problems: ['name-taken'],
  answer: ({ db }, { caller, body }) => createGroup(db, caller, body),
})

export const readGroup = define({
  summary: 'Get a group of approvers',
  params,
  returns: groupShape,
  problems: ['not-found'],
  answer: async ({ db }, { params: { id } }) => toGroup(await getGroup(db, id)),
})

export const patchGroup = define({
  summary: 'Change a group; memberships count from the next decision on',
  params,
  body: groupPatchBody,
  returns: groupShape,
  problems: ['not-found', 'name-taken'],
  answer: ({ db }, { caller, params: { id }, body }) => changeGroup(db, caller, id, body),
})

export const dropGroup = define({
  summary: 'Delete a group that no tool, policy or waiting call names',
  params,
  problems: ['not-found', 'in-use'],
  answer: ({ db }, { caller, params: { id } }) => deleteGroup(db, caller, id),
})
