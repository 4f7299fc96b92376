import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { idParam } from '../../http/id-param.ts'
import { pageOf, toSortedPage } from '../../http/paging.ts'
import { defineRevisionEndpoints } from '../../revisions/define-revision-endpoints.ts'
import { backtest } from './backtest.ts'
import {
  backtestInput,
  backtestShape,
  policyInput,
  policyPatch,
  policyQuery,
  policyShape,
  suggestionShape,
} from './contract.ts'
import {
  changePolicy,
  checkPolicy,
  createPolicy,
  type PolicyContext,
  removePolicy,
  unknownPolicy,
} from './save-policy.ts'
import { lockPolicy, listPolicies as selectPolicies } from './store.ts'
import { suggestPolicies } from './suggest-policies.ts'

const define = endpoint<PolicyContext>()
const params = z.object({ id: idParam('policy') })

export const listPolicies = define({
  summary:
    'List policies in the order in which they are checked; the first that covers a call decides. `q` matches part of the name or tool',
  query: policyQuery,
  returns: pageOf(policyShape),
  answer: async ({ db }, { query }) =>
    toSortedPage(
      await selectPolicies(db, { ...query, limit: query.limit + 1 }),
      query.limit,
      ({ position }) => position,
    ),
})

export const addPolicy = define({
  summary: 'Create a policy; it is asked after all others',
  body: policyInput,
  status: 201,
  returns: policyShape,
  problems: ['in-use'],
  answer: (ctx, { caller, body }) => createPolicy(ctx, caller, body),
})

export const readPolicy = define({
  summary: 'Get a policy',
  params,
  returns: policyShape,
  problems: ['not-found'],
  async answer({ db }, { params: { id } }) {
    const [policy] = await selectPolicies(db, { id })
    if (!policy) throw unknownPolicy()
    return policy
  },
})

export const patchPolicy = define({
  summary: 'Change a policy, its state or its place; it is bound to the tool as it is now',
  params,
  body: policyPatch,
  returns: policyShape,
  problems: ['not-found'],
  answer: (ctx, { caller, params: { id }, body }) => changePolicy(ctx, caller, id, body),
})

/** Its place among the others belongs to all of them, and is in no revision. */
export const revisions = defineRevisionEndpoints({
  of: 'a policy',
  params,
  subject: ({ id }) => id,
  async read({ db }: PolicyContext, { id }) {
    const known = await lockPolicy(db, id)
    if (!known) throw unknownPolicy()
    return known.input
  },
  patch: policyPatch,
  save: (ctx, caller, { id }, patch, restored) => changePolicy(ctx, caller, id, patch, restored),
  returns: policyShape,
})

export const dropPolicy = define({
  summary: 'Delete a policy; the permission of the tool decides again',
  params,
  problems: ['not-found'],
  answer: (ctx, { caller, params: { id } }) => removePolicy(ctx, caller, id),
})

export const backtestPolicy = define({
  summary: 'Try a policy on what people decided about the tool before',
  body: backtestInput,
  returns: backtestShape,
  async answer(ctx, { body: { policy, days } }) {
    return await backtest(ctx, policy, await checkPolicy(ctx, policy), days)
  },
})

export const listSuggestions = define({
  summary: 'Policies that the recorded decisions about a tool speak for',
  returns: z.object({ items: z.array(suggestionShape) }),
  answer: async ({ db }) => ({ items: await suggestPolicies(db) }),
})
