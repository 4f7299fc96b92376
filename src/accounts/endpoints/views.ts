import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { idParam } from '../../http/id-param.ts'
import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import { viewBody, viewQuery, viewShape } from '../contract.ts'
import { listViewRows, removeView, saveView } from '../store/views.ts'

const define = endpoint<{ db: Db }>()

const most = 200

export const listViews = define({
  summary: 'List your saved views of lists, oldest first; an API key has none',
  query: viewQuery,
  returns: z.object({ items: z.array(viewShape) }),
  answer: async ({ db }, { actor, query }) => ({ items: await listViewRows(db, actor.id, query.list) }),
})

export const putView = define({
  summary: 'Save a view of a list under a name; your view of that list with this name is replaced',
  body: viewBody,
  returns: viewShape,
  problems: ['invalid-request'],
  async answer({ db }, { actor, body }) {
    if (actor.kind !== 'user')
      throw problem('forbidden', 'An API key has no saved views. Sign in as a person to save one.')
    const view = await saveView(db, actor.id, body, most)
    if (view) return view
    throw problem('invalid-request', `You have ${most} saved views, which is the most. Delete one first.`)
  },
})

export const dropView = define({
  summary: 'Delete one of your saved views',
  params: z.object({ id: idParam('view') }),
  problems: ['not-found'],
  async answer({ db }, { actor, params }) {
    if (!(await removeView(db, actor.id, params.id)))
      throw problem('not-found', 'You have no saved view with this id.')
  },
})
