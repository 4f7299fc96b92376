import { z } from 'zod'
import { receiptShape } from '../events/contract.ts'
import { ruleFields, rulesPreviewShape } from '../events/rules/contract.ts'
import { previewRules } from '../events/rules/preview-rules.ts'
import { endpoint } from '../http/endpoint.ts'
import { idParam } from '../http/id-param.ts'
import { pageOf, pageQuery, searchText, toPage } from '../http/paging.ts'
import type { Conditions } from '../platform/conditions/open-conditions.ts'
import type { Vault } from '../platform/crypto/vault.ts'
import type { Db } from '../platform/db/database.ts'
import { defineRevisionEndpoints } from '../revisions/define-revision-endpoints.ts'
import type { Audit } from '../shared/audit.ts'
import type { RefuseMissingConnectors } from '../shared/ports/connector-ids.ts'
import type { VoidApprovals } from '../shared/ports/voided.ts'
import {
  listedWebhookShape,
  newWebhook,
  refusalCheckShape,
  refusalShape,
  shownRefusalShape,
  snippetShape,
  webhookPatch,
  webhookShape,
  webhookSortShape,
} from './contract.ts'
import { checkRefusal, showRefusal } from './ingress/check-refusal.ts'
import { changeWebhook } from './manage/change-webhook.ts'
import { refuseWrongConditions } from './manage/check-rules.ts'
import { createWebhook } from './manage/create-webhook.ts'
import { deleteWebhook } from './manage/delete-webhook.ts'
import { getWebhook } from './manage/get-webhook.ts'
import { type Recent, listWebhooks as selectWebhooks } from './manage/list-webhooks.ts'
import type { Webhooks } from './manage/open-webhooks.ts'
import { revealUrl } from './manage/reveal-url.ts'
import { rotateUrl } from './manage/rotate-url.ts'
import { sendTestEvent } from './manage/send-test-event.ts'
import { showWebhook } from './manage/show-webhook.ts'
import { maskedUrl } from './manage/token.ts'
import { documentOf } from './manage/webhook-document.ts'
import { writeSnippets } from './snippets/write-snippets.ts'
import { type ListedRefusal, listRefusals as selectRefusals } from './store/refusals.ts'

type Context = {
  db: Db
  vault: Vault
  audit: Audit
  publicUrl: string
  now: () => Date
  webhooks: Webhooks
  conditions: Conditions
  connectors: { refuseMissing: RefuseMissingConnectors }
  voidApprovals: VoidApprovals
  statistics: { recent(): Promise<Recent[]> }
}

const define = endpoint<Context>()

const webhookParams = z.object({ id: idParam('webhook') })

export const addWebhook = define({
  summary: 'Create a webhook; the response has its full URL',
  body: newWebhook,
  status: 201,
  returns: webhookShape,
  problems: ['forbidden', 'invalid-input'],
  answer: (ctx, { caller, body }) => createWebhook(ctx, caller, body),
})

export const listWebhooks = define({
  summary:
    'List webhooks, newest first unless sorted; `q` matches part of the name or prompt, `connectorId` a listed connector',
  query: pageQuery.extend({
    channelId: z.string().optional(),
    connectorId: z.string().optional(),
    status: z.enum(['active', 'inactive']).optional(),
    q: searchText,
    sort: webhookSortShape.optional(),
  }),
  returns: pageOf(listedWebhookShape),
  answer: (ctx, { query }) => selectWebhooks(ctx, query),
})

export const readWebhook = define({
  summary: 'Get a webhook; its URL is masked',
  params: webhookParams,
  returns: webhookShape,
  problems: ['not-found'],
  async answer(ctx, { params }) {
    return showWebhook(ctx, await getWebhook(ctx.db, params.id))
  },
})

export const patchWebhook = define({
  summary: 'Update a webhook (merge patch): absent fields stay, null clears',
  params: webhookParams,
  body: webhookPatch,
  returns: webhookShape,
  problems: ['not-found', 'forbidden', 'invalid-input'],
  answer: (ctx, { caller, params, body }) => changeWebhook(ctx, caller, params.id, body),
})

export const revisions = defineRevisionEndpoints({
  of: 'a webhook',
  params: webhookParams,
  subject: ({ id }) => id,
  read: async ({ db }: Context, { id }) => documentOf(await getWebhook(db, id)),
  patch: webhookPatch,
  merged: ['verification'],
  save: (ctx, caller, { id }, patch, restored) => changeWebhook(ctx, caller, id, patch, restored),
  returns: webhookShape,
})

export const dropWebhook = define({
  summary: 'Delete a webhook permanently; its URL answers 410',
  params: webhookParams,
  problems: ['not-found'],
  answer: (ctx, { caller, params }) => deleteWebhook(ctx, caller, params.id),
})

export const rotateWebhook = define({
  summary: 'Rotate the URL; the old one keeps working during the overlap',
  params: webhookParams,
  body: z
    .strictObject({
      overlapSeconds: z
        .int()
        .min(0)
        .max(30 * 86_400, 'The overlap can be 30 days at most.')
        .default(0),
    })
    .default({ overlapSeconds: 0 }),
  returns: webhookShape,
  problems: ['not-found'],
  answer: (ctx, { caller, params, body }) => rotateUrl(ctx, caller, params.id, body.overlapSeconds),
})

export const revealWebhook = define({
  summary: 'Show the full URL; recorded in the audit log',
  params: webhookParams,
  returns: z.object({ endpointUrl: z.string() }),
  problems: ['not-found'],
  async answer(ctx, { caller, params }) {
    return { endpointUrl: await revealUrl(ctx, caller, params.id) }
  },
})

export const testWebhook = define({
  summary: 'Send a test event, signed as configured, through the real checks; works for inactive webhooks',
  params: webhookParams,
  body: z.strictObject({ body: z.unknown().optional() }).default({}),
  exactNumbers: true,
  returns: receiptShape,
  problems: ['not-found', 'invalid-request', 'malformed-json', 'body-too-large', 'rate-limited'],
  async answer(ctx, { caller, params, body }) {
    const { outcome, eventId, runId } = await sendTestEvent(ctx, caller, params.id, body)
    return { status: outcome, eventId, runId }
  },
})

export const previewWebhookRules = define({
  summary: 'What the last 500 kept events would become with these rules; nothing is changed',
  params: webhookParams,
  body: z.strictObject({
    rules: ruleFields.rules,
    threadKey: ruleFields.threadKey.default(null),
    collect: ruleFields.collect.default(null),
  }),
  returns: rulesPreviewShape,
  problems: ['not-found', 'invalid-input'],
  async answer(ctx, { params, body }) {
    await getWebhook(ctx.db, params.id)
    await refuseWrongConditions(ctx.conditions, body.rules)
    return await previewRules(ctx, params.id, body)
  },
})

export const listRefusals = define({
  summary: 'List the latest refused deliveries, each with the reason',
  params: webhookParams,
  query: pageQuery,
  returns: pageOf(refusalShape),
  problems: ['not-found'],
  async answer({ db, webhooks }, { params, query }) {
    await getWebhook(db, params.id)
    await webhooks.flush()
    const page = toPage(await selectRefusals(db, params.id, query), query.limit)
    return {
      ...page,
      items: page.items.map(toRefusal),
    }
  },
})

const refusalParams = webhookParams.extend({ refusalId: idParam('refusal') })

export const readRefusal = define({
  summary: 'Get a refused delivery with the first 2,048 bytes of its body, if it is kept',
  params: refusalParams,
  returns: shownRefusalShape,
  problems: ['not-found'],
  async answer(ctx, { params }) {
    await getWebhook(ctx.db, params.id)
    return toRefusal(await showRefusal(ctx, params.id, params.refusalId))
  },
})

export const checkRefused = define({
  summary: 'Check a refused delivery again with the present settings; nothing is accepted',
  params: refusalParams,
  returns: refusalCheckShape,
  problems: ['not-found', 'invalid-request'],
  async answer(ctx, { params }) {
    await getWebhook(ctx.db, params.id)
    return await checkRefusal(ctx, params.id, params.refusalId)
  },
})

function toRefusal<T extends ListedRefusal>({ webhookId: _, at, ...refusal }: T) {
  return { ...refusal, at: at.toISOString() }
}

export const listSnippets = define({
  summary: 'Sample code for sending to this webhook',
  params: webhookParams,
  returns: z.object({ items: z.array(snippetShape) }),
  problems: ['not-found'],
  async answer({ db, publicUrl }, { params }) {
    const row = await getWebhook(db, params.id)
    return { items: writeSnippets(maskedUrl(publicUrl, row.tokens[0]?.hint ?? ''), row.verification) }
  },
})
