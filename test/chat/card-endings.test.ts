import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Message } from '../../src/chat/contract.ts'
import { join } from '../accounts/visitor.ts'
import type { Script } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { slackMessage, teamId } from './support/start-slack.ts'
import { startSlackSceneOn } from './support/start-slack-scene.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

const refund = { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] }
const typed = ['yes, I say so', 'approve, I say so', 'I confirm, I say so']
const script: Script = ({ body }) =>
  body.includes('tool_result') || body.includes('I say so') ? { text: 'So be it.' } : refund

verifies(
  ['chat:cards', 'chat:only-buttons-decide'],
  'Slack: reactions and typed text do not change a card; when it expires or is void, the card says so in place, without buttons',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp(), script)
    const { slack, ops, kim } = scene
    const admin = await join(scene.app, 'admin')
    await scene.app.api('PUT', `/api/v1/workspaces/${scene.workspace.id}/identities/${kim}`, {
      userId: admin.id,
    })
    const webhook = await scene.createWebhook({ channelId: scene.channel.id })
    const ask = async () => {
      const { runId } = await scene.sendEvent(webhook)
      await scene.runWhen(runId, ({ status }) => status === 'waiting')
      const cards = async () =>
        (await slack.history(ops)).filter(({ blocks }) => JSON.stringify(blocks).includes('bellhop_approve'))
      await until(async () => (await cards()).length === 1)
      const [card] = await cards()
      assert.ok(card)
      return { runId, ts: card.ts }
    }
    /** The card as Slack shows it now. */
    const shows = (ts: string, word: string) =>
      until(async () => {
        const text = JSON.stringify((await slack.history(ops)).find((message) => message.ts === ts)?.blocks)
        return text.includes(word) && !text.includes('bellhop_approve')
      })

    const first = await ask()
    for (const reaction of ['+1', 'white_check_mark', 'heavy_check_mark']) {
      const event = {
        type: 'reaction_added',
        user: kim,
        reaction,
        item: { type: 'message', channel: ops, ts: first.ts },
      }
      const body = JSON.stringify({ type: 'event_callback', team_id: teamId, event })
      assert.equal((await scene.deliver(body)).status, 200)
    }
    for (const [n, text] of typed.entries()) {
      const said = { user: kim, channel: ops, text, ts: `1700000009.${n}`, thread_ts: first.ts }
      assert.equal((await scene.deliver(slackMessage(said))).status, 200)
    }
    const waiting = async () =>
      (
        await sql`
          select 1 from inbound_messages where workspace_id = ${scene.workspace.id} and state = 'waiting'`.execute(
          scene.app.app.ctx.db,
        )
      ).rows.length
    await until(async () => (await waiting()) === 0)
    assert.equal((await scene.readRun(first.runId)).status, 'waiting')
    assert.equal(scene.target.seen.length, 0)

    await sql`update approvals set expires_at = now() - interval '1 second'`.execute(scene.app.app.ctx.db)
    await shows(first.ts, 'Expired')
    await scene.endedRun(first.runId)

    const second = await ask()
    const path = `/api/v1/connectors/${scene.connectorId}`
    assert.equal((await scene.app.api('PATCH', path, { timeoutMs: 5000 })).status, 200)
    await shows(second.ts, 'No longer valid')
    assert.equal(scene.target.seen.length, 0)
  },
)

verifies(
  'chat:cards',
  'in the built-in workspace, an expired or void card is updated in place, too',
  async () => {
    await using model = await startStubAnthropic(script)
    await using shop = await startShopOn(await sharedApp(), { model })
    const webhook = await shop.createWebhook()
    const end = async (change: () => Promise<unknown>, state: string) => {
      const { runId } = await shop.sendEvent(webhook)
      const pending = async () =>
        (await shop.messages()).filter(({ card }) => JSON.stringify(card).includes('"pending"'))
      await until(async () => (await pending()).length === 1)
      const [card] = await pending()
      await change()
      await until(
        async () => (await shop.app.get<Message>(`/api/v1/messages/${card?.id}`)).card?.state === state,
      )
      await shop.endedRun(runId)
    }
    const { db } = shop.app.app.ctx
    await end(() => sql`update approvals set expires_at = now() - interval '1 second'`.execute(db), 'expired')
    const path = `/api/v1/connectors/${shop.connectorId}`
    await end(() => shop.app.api('PATCH', path, { timeoutMs: 5000 }), 'void')
    assert.equal(shop.target.seen.length, 0)
  },
)
