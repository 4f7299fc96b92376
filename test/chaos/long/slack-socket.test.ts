import assert from 'node:assert/strict'
import pg from 'pg'
import type { Workspace } from '../../../src/chat/workspaces/contract.ts'
import { cutEnvelope } from '../../chat/support/cut-envelope.ts'
import { appToken } from '../../chat/support/slack-lines.ts'
import { botToken, botUserId, slackMessage, startSlack } from '../../chat/support/start-slack.ts'
import { startSlackSceneOn } from '../../chat/support/start-slack-scene.ts'
import type { Turn } from '../../support/model-script.ts'
import { startService } from '../../support/start-service.ts'
import { loopback, startTestApp, testApiKey, testEncryptionKey } from '../../support/start-test-app.ts'
import { startStubAnthropic } from '../../support/stub-anthropic.ts'
import { createTestDatabase } from '../../support/test-database.ts'
import { until } from '../../support/until.ts'
import { verifies } from '../../support/verifies.ts'

verifies(
  ['chat:slack-socket', 'chat:inbound-durable'],
  'the cable is cut at every byte of an envelope: one run, one reply',
  async () => {
    await using app = await startTestApp({ env: loopback })
    await using scene = await startSlackSceneOn(app, () => ({ text: 'Yes.' }), 'socket')
    const { slack, ops, kim, workspace } = scene
    const shown = () => app.get<Workspace>(`/api/v1/workspaces/${workspace.id}`)
    const ts = `${Math.floor(Date.now() / 1000)}.000100`
    const said = slackMessage({ user: kim, channel: ops, text: `<@${botUserId}> hello?`, ts }, 'app_mention')
    await cutEnvelope({ slack, shown }, JSON.parse(said), 1)
    await until(async () => (await slack.replies(ops, ts)).length === 1)
    assert.equal((await scene.runs()).length, 1)
  },
)

verifies(
  ['chat:slack-socket', 'runs:live-plan', 'chat:inbound-durable'],
  'the process is killed before it acknowledges a mention, and again while its plan is open: one run, one sealed plan, one reply',
  async () => {
    await using database = await createTestDatabase()
    await using slack = await startSlack()
    let hangs = true
    await using model = await startStubAnthropic(
      (): Turn => (hangs ? { hang: true } : { text: 'It is paid.' }),
    )
    const env = {
      ...model.env,
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: testEncryptionKey,
      API_KEY: testApiKey,
      EGRESS_PRIVATE_EXCEPTIONS: slack.pair,
    }
    let service = await startService(env)
    await using _last = { [Symbol.asyncDispose]: async () => void (await service.stop()) }
    await service.api('POST', '/workspaces', {
      platform: 'slack',
      connection: 'socket',
      botToken,
      appToken,
      apiUrl: `${slack.origin}/api/`,
    })
    await until(() => slack.lines.open.length === 1)

    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const ts = `${Math.floor(Date.now() / 1000)}.000100`
    const [ops, user] = [await slack.channelId('ops'), await slack.userId('kim')]
    const said = slackMessage({ user, channel: ops, text: `<@${botUserId}> is A-1 paid?`, ts }, 'app_mention')
    await client.query('begin; lock table inbound_messages in exclusive mode')
    const id = slack.lines.deliver('events_api', JSON.parse(said))
    await until(async () => {
      const { rows } = await client.query(
        "select from pg_locks where relation = 'inbound_messages'::regclass and not granted",
      )
      return rows.length > 0
    })
    assert.equal(slack.lines.acknowledged.size, 0)
    await service.stop('SIGKILL')
    await client.query('rollback')
    await client.end()

    service = await startService(env)
    await until(() => slack.lines.acknowledged.has(id))
    const texts = async () => (await slack.replies(ops, ts)).map(({ text }) => text)
    await until(async () => (await texts()).some((text) => text.startsWith('⏳')))
    await service.stop('SIGKILL')
    hangs = false
    service = await startService(env)
    await until(async () => (await texts()).some((text) => text.startsWith('✅')))
    assert.deepEqual(
      (await texts()).toSorted(),
      ['It is paid.', (await texts()).find((text) => /^✅/.test(text))].toSorted(),
    )
    const { items } = await service.api<{ items: unknown[] }>('GET', '/runs')
    assert.equal(items.length, 1)
  },
)
