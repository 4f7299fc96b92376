import assert from 'node:assert/strict'
import type { RehearsalShape } from '../../src/runs/rehearsals/contract.ts'
import { startShopOn } from '../support/start-shop.ts'
import type { TestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'

export const draft = 'A draft: be bold.'

/** What the scripted model does with each order; in brackets what the draft changes. */
export const orders = {
  same: 'A-1',
  /** Another reply. */
  replyDiffers: 'A-2',
  /** One refund more, which nobody asked for before. */
  newWrite: 'A-3',
  /** The refund that was approved before is not asked for. */
  writeGone: 'A-4',
  /** Reads another order. */
  notRecorded: 'A-5',
  /** The provider refuses the request. */
  failed: 'A-6',
} as const

type Options = { beforeAnswer?: (body: string) => Promise<void> | undefined }

/** A shop whose model answers from what it is sent alone, so that the same prompt has the same answer. */
export async function startRehearsedShop(app: TestApp, { beforeAnswer }: Options = {}) {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(
    await startStubAnthropic(async ({ body }) => {
      await beforeAnswer?.(body)
      const id = /A-\d/.exec(JSON.stringify(JSON.parse(body).messages[0]))?.[0] ?? 'A-1'
      const isDraft = body.includes(draft)
      if (isDraft && id === orders.failed) return { status: 400, message: 'the draft is refused' }
      const refund = { name: 'shop__refund', input: { id } }
      if (body.includes('tool_result'))
        return {
          text: isDraft && id === orders.replyDiffers ? `Order ${id} is splendid.` : `Order ${id} is fine.`,
        }
      const refunds = isDraft ? id === orders.newWrite : id === orders.writeGone
      const read = isDraft && id === orders.notRecorded ? 'A-9' : id
      return { calls: [{ name: 'shop__get_order', input: { id: read } }, ...(refunds ? [refund] : [])] }
    }),
  )
  const shop = stack.use(
    await startShopOn(app, {
      model,
      answer: ({ method }, response) =>
        response.setHeader('content-type', 'application/json').end(`{"did":"${method}"}`),
    }),
  )
  const opened = stack.move()
  const writes = () => shop.target.seen.filter(({ method }) => method !== 'GET').length
  const writesBefore = new Map<string, number>()
  const read = (id: string) => app.get<RehearsalShape>(`/api/v1/rehearsals/${id}`)
  return {
    ...shop,
    model,
    read,
    /** Each order once, with what was asked approved. */
    async handle(webhook: Awaited<ReturnType<typeof shop.createWebhook>>, ids: readonly string[]) {
      for (const id of ids) {
        const { runId } = await shop.sendEvent(webhook, { event: 'order.paid', id })
        const run = await shop.runWhen(runId, ({ status }) => status !== 'queued' && status !== 'running')
        for (const { approvalId } of run.toolCalls.filter((call) => call.approvalId))
          await app.api('POST', `/api/v1/approvals/${approvalId}/approve`, {})
        assert.equal((await shop.endedRun(runId)).status, 'succeeded')
      }
    },
    async rehearse(asked: object): Promise<RehearsalShape> {
      const sent = writes()
      const started = await app.api<RehearsalShape>('POST', '/api/v1/rehearsals', { budget: 10, ...asked })
      assert.equal(started.status, 202, started.text)
      writesBefore.set(started.body.id, sent)
      return started.body
    },
    async ended(id: string): Promise<RehearsalShape> {
      await until(async () => (await read(id)).endedAt !== null)
      // Whatever a rehearsal tries, the target sees no write of it.
      assert.equal(writes(), writesBefore.get(id) ?? 0)
      return await read(id)
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
