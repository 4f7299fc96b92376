import { z } from 'zod'
import { receiptShape } from '../events/contract.ts'
import { endpoint } from '../http/endpoint.ts'
import { idParam } from '../http/id-param.ts'
import { pageOf, pageQuery, searchText, toPage } from '../http/paging.ts'
import { defineRevisionEndpoints } from '../revisions/define-revision-endpoints.ts'
import { type ChangeContext, changeSchedule } from './change-schedule.ts'
import { getSchedule } from './check-schedule.ts'
import { newSchedule, schedulePatch, scheduleShape, timingQuery, timingShape } from './contract.ts'
import { createSchedule } from './create-schedule.ts'
import { deleteSchedule } from './delete-schedule.ts'
import { runNow } from './run-now.ts'
import { documentOf } from './schedule-document.ts'
import { showOne, showSchedules } from './show-schedule.ts'
import { listSchedules as selectSchedules } from './store.ts'
import { previewTiming } from './timing/preview-timing.ts'

const define = endpoint<ChangeContext>()

const params = z.object({ id: idParam('schedule') })

export const addSchedule = define({
  summary: 'Create a schedule: `cron` repeats, `at` runs once',
  body: newSchedule,
  status: 201,
  returns: scheduleShape,
  problems: ['forbidden', 'invalid-input'],
  answer: (ctx, { caller, body }) => createSchedule(ctx, caller, body),
})

export const listSchedules = define({
  summary: 'List schedules, newest first; `q` matches part of the name or prompt',
  query: pageQuery.extend({
    channelId: z.string().optional(),
    /** Only the time at which the agent continues this thread by itself, until it has come. */
    threadId: z.string().optional(),
    status: z.enum(['active', 'inactive']).optional(),
    q: searchText,
  }),
  returns: pageOf(scheduleShape),
  async answer({ db }, { query }) {
    const page = toPage(await selectSchedules(db, query), query.limit)
    return { ...page, items: await showSchedules(db, page.items) }
  },
})

export const previewSchedule = define({
  summary: 'Say a cron text or a local time in words, with its next five times',
  query: timingQuery,
  returns: timingShape,
  problems: ['invalid-input'],
  answer: (ctx, { query }) => previewTiming(ctx, query),
})

export const readSchedule = define({
  summary: 'Get a schedule with its next five times and its last ten outcomes',
  params,
  returns: scheduleShape,
  problems: ['not-found'],
  async answer({ db }, { params }) {
    return await showOne(db, await getSchedule(db, params.id))
  },
})

export const patchSchedule = define({
  summary: 'Update a schedule (merge patch): absent fields stay, null clears',
  params,
  body: schedulePatch,
  returns: scheduleShape,
  problems: ['not-found', 'forbidden', 'invalid-input'],
  answer: (ctx, { caller, params, body }) => changeSchedule(ctx, caller, params.id, body),
})

export const revisions = defineRevisionEndpoints({
  of: 'a schedule',
  params,
  subject: ({ id }) => id,
  read: async ({ db }: ChangeContext, { id }) => documentOf(await getSchedule(db, id)),
  patch: schedulePatch,
  save: (ctx, caller, { id }, patch, restored) => changeSchedule(ctx, caller, id, patch, restored),
  returns: scheduleShape,
})

export const dropSchedule = define({
  summary: 'Delete a schedule permanently; what has run stays in the ledger',
  params,
  problems: ['not-found'],
  answer: (ctx, { caller, params }) => deleteSchedule(ctx, caller, params.id),
})

export const ringSchedule = define({
  summary: 'Run a schedule now; works for inactive ones',
  params,
  returns: receiptShape,
  problems: ['not-found'],
  async answer(ctx, { caller, params }) {
    return { status: 'accepted' as const, ...(await runNow(ctx, caller, params.id)) }
  },
})
