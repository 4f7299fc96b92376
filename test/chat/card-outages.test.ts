import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Message } from '../../src/chat/contract.ts'
import type { Db } from '../../src/platform/db/database.ts'
import { makeJobsDue } from '../support/make-jobs-due.ts'
import type { Script } from '../support/model-script.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { startPlatformScene } from './support/start-platform-scene.ts'
import { botToken, signingSecret } from './support/start-slack.ts'
import { startSlackScene } from './support/start-slack-scene.ts'
import { startTelegram, telegramToken } from './support/start-telegram.ts'

const script: Script = ({ body }) =>
  body.includes('tool_result')
    ? { text: 'So be it.' }
    : { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] }

/** Every job that shows a card fails in its last try, as after twenty minutes of failures. */
async function exhaust(db: Db): Promise<void> {
  const failed = async () => {
    const { rows } = await sql<{ id: string }>`
      select id from jobs.job
      where name = 'approval.show' and state in ('created', 'retry') and start_after > now()`.execute(db)
    return rows.map(({ id }) => id)
  }
  await until(async () => (await failed()).length > 0)
  const ids = await failed()
  await sql`update jobs.job set retry_count = retry_limit where id = any(${ids})`.execute(db)
  await until(async () => {
    await makeJobsDue(db)
    const { rows } = await sql`
      select from jobs.job where id = any(${ids}) and state < 'completed'`.execute(db)
    return rows.length === 0
  })
}

verifies(
  ['chat:cards', 'chat:outbound-rate-limits'],
  'Slack: a card that could not be posted for as long as the token was refused appears when a new one is entered',
  async () => {
    await using scene = await startSlackScene(script)
    const { slack, ops } = scene
    const { db } = scene.app.app.ctx
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? { error: 'token_revoked' } : null)
    const { runId } = await scene.sendEvent(await scene.createWebhook({ channelId: scene.channel.id }))
    await scene.runWhen(runId, ({ status }) => status === 'waiting')
    await exhaust(db)

    slack.fault = () => null
    const entered = { botToken, signingSecret }
    const path = `/api/v1/workspaces/${scene.workspace.id}`
    assert.equal((await scene.app.api('PATCH', path, entered)).status, 200)
    const cards = async () =>
      (await slack.history(ops)).filter(({ blocks }) => JSON.stringify(blocks).includes('bellhop_approve'))
    await until(async () => {
      await makeJobsDue(db)
      return (await cards()).length === 1
    })
  },
)

verifies(
  ['chat:cards', 'approvals:expiry'],
  'Telegram: a card whose arrival is uncertain ends on our own page like any other, and its reminder is posted',
  async () => {
    await using scene = await startPlatformScene(
      startTelegram,
      ({ origin }) => ({ platform: 'telegram', botToken: telegramToken, apiUrl: origin }),
      script,
    )
    const { platform: telegram } = scene
    const { db } = scene.app.app.ctx
    const chat = { id: -1001234567890, type: 'supergroup', title: 'Ops' }
    const secret = {
      'x-telegram-bot-api-secret-token': String(telegram.callsOf('setWebhook')[0]?.body.secret_token),
    }
    const joined = { update_id: 1, my_chat_member: { chat, new_chat_member: { status: 'member' } } }
    assert.equal((await scene.send(JSON.stringify(joined), secret)).status, 200)
    const channel = await scene.channel(String(chat.id))
    telegram.fault = ({ method }) => (method === 'sendMessage' ? 'lose-answer' : null)
    const { runId } = await scene.sendEvent(await scene.createWebhook({ channelId: channel.id }))
    const cards = async () =>
      (await scene.app.get<{ items: Message[] }>(`/api/v1/channels/${channel.id}/messages`)).items.filter(
        ({ card }) => card !== null,
      )
    await until(async () => (await cards())[0]?.delivery === 'ambiguous')
    telegram.fault = () => null
    const shows = async () =>
      (await sql`select from jobs.job where name = 'approval.show' and state < 'completed'`.execute(db)).rows
        .length
    await until(async () => {
      await makeJobsDue(db)
      return (await shows()) === 0
    })
    assert.equal(telegram.callsOf('sendMessage').length, 1, 'it is not sent twice')

    await sql`update approvals set created_at = created_at - interval '30 hours'`.execute(db)
    const sent = () => telegram.callsOf('sendMessage').map(({ body }) => body.text ?? '')
    await until(() => sent().some((text) => text.includes('Still waiting')))

    const { toolCalls } = await scene.readRun(runId)
    await scene.app.api('POST', `/api/v1/approvals/${toolCalls[0]?.approvalId}/deny`, {})
    await until(async () => (await cards())[0]?.card?.state === 'denied')
    assert.equal((await scene.endedRun(runId)).status, 'succeeded')
  },
)
