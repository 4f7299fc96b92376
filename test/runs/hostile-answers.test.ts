import assert from 'node:assert/strict'
import { startShop } from '../support/start-shop.ts'
import { providers, startStubModel } from '../support/start-stub-model.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

const deep = `${'{"id":'.repeat(3_000)}"A-1"${'}'.repeat(3_000)}`

for (const provider of providers) {
  verifies(
    ['runs:journal', 'models:providers'],
    `${provider}: an input that is nested too deeply to be read again is not kept; its call is refused, and the run goes on after a wait`,
    async () => {
      await using model = await startStubModel(provider, [
        {
          calls: [
            { name: 'shop__get_order', input: deep },
            { name: 'shop__refund', input: { id: 'A-1' } },
          ],
        },
        { text: 'Paid back.' },
      ])
      await using shop = await startShop({ env: model.env })
      const { runId } = await shop.ring(await shop.createWebhook())
      const waiting = await shop.runWhen(runId, ({ status }) => status === 'waiting')
      assert.equal(waiting.steps[0]?.calls[0]?.input, '(nested deeper than 500 levels)')
      const { approvalId } = waiting.toolCalls.find(({ tool }) => tool === 'shop__refund') ?? {}
      assert.equal((await shop.app.api('POST', `/api/v1/approvals/${approvalId}/approve`, {})).status, 200)
      const run = await shop.endedRun(runId)
      assert.deepEqual([run.status, run.reply?.text], ['succeeded', 'Paid back.'])
      assert.deepEqual(
        shop.target.seen.map(({ url }) => url),
        ['/orders/A-1/refund'],
      )
      assert.match(model.requests[1]?.body ?? '', /not valid JSON/)
    },
  )
}

verifies(
  ['runs:journal', 'models:providers'],
  'a server that counts tokens in fractions, below zero or beyond all bounds is asked once, and its answer is kept',
  async () => {
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Seen.' } }]
    const answer = (prompt: number, completion: number) => ({
      body: JSON.stringify({
        id: 'a',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices,
        usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: 1 },
      }),
    })
    await using model = await startStubOpenai([answer(5.5, 1e15), answer(-7, 3)])
    await using shop = await startShop({ env: model.compatibleEnv })
    const webhook = await shop.createWebhook()
    const counts = []
    for (let n = 0; n < 2; n++) {
      const { status, usage } = await shop.endedRun((await shop.ring(webhook)).runId)
      counts.push([status, usage.inputTokens, usage.outputTokens])
    }
    assert.deepEqual(counts, [
      ['succeeded', 5, 2 ** 31 - 1],
      ['succeeded', 0, 3],
    ])
    assert.equal(model.requests.length, 2)
  },
)
