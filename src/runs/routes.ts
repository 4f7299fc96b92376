import { z } from 'zod'
import { ratingShape, thumbKind } from '../chat/thumbs/contract.ts'
import { rateReply, withdrawRating } from '../chat/thumbs/rate-reply.ts'
import { endpoint } from '../http/endpoint.ts'
import { idParam } from '../http/id-param.ts'
import { pageOf, pageQuery, searchText, searchTime } from '../http/paging.ts'
import type { ProblemType } from '../http/problems.ts'
import { sourceQuery } from '../shared/source-fields.ts'
import {
  outagesShape,
  promptShape,
  replayedShape,
  replayFailedShape,
  replayShape,
  runShape,
  runSortShape,
  runStatusShape,
  runSummaryShape,
  runTriggerShape,
} from './contract.ts'
import { cancelRun } from './history/cancel-run.ts'
import { getRun } from './history/get-run.ts'
import { listRuns as selectRuns } from './history/list-runs.ts'
import { replayFailed } from './history/replay-failed.ts'
import { showPrompt } from './history/show-prompt.ts'
import { type ReplayContext, startReplay } from './history/start-replay.ts'
import { listOutages } from './outages/list-outages.ts'
import { retryPost } from './reply/retry-post.ts'

const define = endpoint<ReplayContext>()

const params = z.object({ id: idParam('run') })

export const listRuns = define({
  summary: 'List runs, newest first unless sorted, without their steps',
  query: pageQuery.extend({
    status: runStatusShape.optional(),
    ...sourceQuery,
    channelId: z.string().optional(),
    runId: z.string().optional(),
    eventId: z.string().optional(),
    trigger: runTriggerShape.optional(),
    from: searchTime,
    to: searchTime,
    /** Part of the reply, or of the error. */
    q: searchText,
    /** Runs that called this tool. */
    toolId: idParam('tool').optional(),
    /** The name of the model that the run was started with, or `offline`. */
    model: z.string().max(200).optional(),
    /** In US dollars. */
    minCost: z.coerce.number('must be a number of US dollars').min(0, 'must be 0 or more').optional(),
    /** Runs whose reply somebody rated like this. */
    thumb: thumbKind.optional(),
    /** Only failed runs whose event no later run has handled: a replay that succeeded or is under way ends the need for attention. */
    unresolved: z.stringbool().optional(),
    /** Lists only runs that have ended. */
    sort: runSortShape.optional(),
  }),
  returns: pageOf(runSummaryShape),
  answer: (ctx, { query: { webhookId, scheduleId, ...query }, actor }) =>
    selectRuns(ctx, actor, { ...query, sourceId: webhookId ?? scheduleId }),
})

export const readRun = define({
  summary: 'Get a run with its steps, tool calls and reply',
  params,
  returns: runShape,
  problems: ['not-found', 'run-not-started'],
  answer: (ctx, { params, actor }) => getRun(ctx, actor, params.id),
})

export const readPrompt = define({
  summary: 'Get what the model was sent at the first step of a run, in parts with their sizes',
  params,
  returns: promptShape,
  problems: ['not-found', 'body-erased'],
  async answer(ctx, { params: { id }, actor }) {
    // Whoever cannot see a run cannot see its prompt either.
    await getRun(ctx, actor, id)
    return await showPrompt(ctx, id)
  },
})

export const cancel = runAction('Cancel a run and its pending approvals', 'run-not-active', cancelRun)
export const postAgain = runAction(
  'Retry posting a reply that could not be posted; the model is not called again',
  'nothing-to-post',
  retryPost,
)

/** Whoever cannot see a run cannot change it either. */
function runAction(summary: string, refusal: ProblemType, act: typeof cancelRun | typeof retryPost) {
  return define({
    summary,
    params,
    returns: runShape,
    problems: ['not-found', refusal],
    async answer(ctx, { params: { id }, actor, caller }) {
      await getRun(ctx, actor, id)
      await act(ctx, caller, id)
      return await getRun(ctx, actor, id)
    },
  })
}

export const putThumb = define({
  summary: 'Rate the reply of a run; one thumb for each person, which another one replaces',
  params,
  body: ratingShape,
  returns: runShape,
  problems: ['not-found'],
  async answer(ctx, { params: { id }, body, actor }) {
    await getRun(ctx, actor, id)
    const none = { reason: null, note: null }
    await ctx.db.transaction().execute((tx) => rateReply(tx, id, actor, { ...none, ...body }))
    return await getRun(ctx, actor, id)
  },
})

export const dropThumb = define({
  summary: 'Withdraw your rating of the reply of a run',
  params,
  returns: runShape,
  problems: ['not-found'],
  async answer(ctx, { params: { id }, actor }) {
    await getRun(ctx, actor, id)
    await ctx.db.transaction().execute((tx) => withdrawRating(tx, id, actor.id))
    return await getRun(ctx, actor, id)
  },
})

export const replay = define({
  summary: 'Replay a stored event; a dry run if a draft prompt, model or list of connectors is given',
  params: z.object({ id: idParam('event') }),
  body: replayShape,
  status: 201,
  returns: runShape,
  problems: ['not-found', 'body-erased', 'model-unavailable'],
  async answer(ctx, { params, body, actor, caller }) {
    return await getRun(ctx, actor, await startReplay(ctx, caller, params.id, body))
  },
})

export const replayAllFailed = define({
  summary: 'Replay the events whose runs failed with an error since a time, at most 100 at once',
  body: replayFailedShape,
  returns: replayedShape,
  problems: ['invalid-input'],
  answer: (ctx, { body, caller }) => replayFailed(ctx, caller, body),
})

export const readOutages = define({
  summary: 'List the models that do not answer at present, and since when events wait for them',
  returns: outagesShape,
  answer: (ctx) => listOutages(ctx),
})
