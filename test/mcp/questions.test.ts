import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { join, type Person } from '../accounts/visitor.ts'
import { botUserId, slackMessage } from '../chat/support/start-slack.ts'
import { startSlackSceneOn } from '../chat/support/start-slack-scene.ts'
import { textsOf } from '../support/model-script.ts'
import { sayAs } from '../support/say-as.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { sceneOf } from '../support/start-shop.ts'
import { loopback, startTestApp, type TestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { startEverything } from './start-everything.ts'
import { startMcpSceneOn } from './start-mcp-scene.ts'
import { startNewestServer } from './start-newest-server.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

type Question = {
  id: string
  runId: string
  state: string
  message: string
  schema: { properties: Record<string, unknown> } | null
  url: string | null
  expiresAt: string
}

async function questionFor(person: Person): Promise<Question> {
  let found: Question | undefined
  await until(async () => {
    found = (await person.visitor.send<{ items: Question[] }>('GET', '/questions')).body.items[0]
    return found !== undefined
  })
  assert.ok(found)
  return found
}

/** What stands in the thread about the question. */
async function shownOf(app: TestApp, id: string): Promise<string[]> {
  return (await sceneOf(app).messages())
    .map(({ text }) => text)
    .filter((text) => text.includes(id) || text.includes('asked something'))
}

verifies(
  ['mcp:asks-person', 'mcp:input-needed'],
  'a server that asks in the middle of a call gets the answer of the person who wrote to the agent, and of nobody else',
  async () => {
    await using server = await startEverything('streamableHttp')
    await using model = await startStubAnthropic([
      { calls: [{ name: 'docs__trigger-elicitation-request', input: {} }] },
      { text: 'Thanks.' },
    ])
    const app = await sharedApp()
    await using scene = await startMcpSceneOn(app, server, model)
    await scene.refresh()
    await scene.enable('trigger-elicitation-request')
    const stage = sceneOf(app)
    const [asker, other] = [await join(app, 'member'), await join(app, 'admin')]
    await sayAs(stage, asker, '@bellhop please register me')

    const question = await questionFor(asker)
    assert.match(question.message, /provide inputs/)
    assert.ok(question.schema?.properties.name)
    const path = `/questions/${question.id}`
    await until(async () => (await shownOf(app, question.id)).length === 1)
    assert.match(
      (await shownOf(app, question.id))[0] ?? '',
      /\*\*Docs\*\* asks you something .*\(until \d{4}-\d\d-\d\d \d\d:\d\d \([A-Z]\w+/,
    )
    for (const method of ['GET', 'POST'])
      assert.equal(
        (
          await other.visitor.send(
            method,
            method === 'GET' ? path : `${path}/answer`,
            method === 'GET' ? undefined : { action: 'decline' },
          )
        ).status,
        404,
      )
    const wrong = await asker.visitor.send<{ errors: { pointer: string }[] }>('POST', `${path}/answer`, {
      action: 'accept',
      input: { name: 7 },
    })
    assert.deepEqual([wrong.status, wrong.body.errors[0]?.pointer], [422, '/input/name'])
    const answered = await asker.visitor.send<Question>('POST', `${path}/answer`, {
      action: 'accept',
      input: { name: 'Kim Example', check: true },
    })
    assert.deepEqual([answered.status, answered.body.state], [200, 'accepted'])
    assert.equal((await asker.visitor.send('POST', `${path}/answer`, { action: 'decline' })).status, 409)

    const run = await stage.endedRun(question.runId)
    assert.deepEqual([run.status, run.reply?.text], ['succeeded', 'Thanks.'])
    assert.match(run.toolCalls[0]?.response?.body ?? '', /Kim Example/)
    await until(async () => /was answered/.test((await shownOf(app, question.id))[0] ?? ''))
  },
)

verifies(
  ['mcp:asks-person', 'mcp:input-needed'],
  'a server of the newest revision gets the answer with its state; where nobody can answer, and for secrets, the agent gets the question',
  async () => {
    await using server = await startNewestServer()
    await using model = await startStubAnthropic(({ body }) =>
      body.includes('tool_result') ? { text: 'Done.' } : { calls: [{ name: 'docs__erase', input: {} }] },
    )
    const app = await sharedApp()
    await using scene = await startMcpSceneOn(app, { url: `${server.origin}/mcp` }, model)
    await scene.refresh()
    await scene.enable('erase', 'write', { permission: 'auto' })
    const stage = sceneOf(app)
    const asker = await join(app, 'member')
    await sayAs(stage, asker, '@bellhop erase it')
    const question = await questionFor(asker)
    assert.equal(question.message, 'Really erase?')
    await asker.visitor.send('POST', `/questions/${question.id}/answer`, {
      action: 'accept',
      input: { sure: true },
    })
    const run = await stage.endedRun(question.runId)
    assert.equal(run.toolCalls[0]?.response?.body, 'erased: {"action":"accept","content":{"sure":true}}')

    const { runId } = await stage.sendEvent(await stage.createWebhook())
    const [call] = (await stage.endedRun(runId)).toolCalls
    assert.deepEqual([call?.error?.code, call?.state], ['input_needed', 'answered'])
    assert.match(call?.response?.body ?? '', /Really erase/)

    server.own.asksForSecret = true
    await sayAs(stage, asker, '@bellhop erase it again')
    await until(async () => (await stage.replies()).length >= 3)
    assert.deepEqual((await asker.visitor.send<{ items: [] }>('GET', '/questions')).body.items, [])
  },
)

verifies(
  'mcp:asks-person',
  'a question that nobody answers in five minutes ends the call, and says so in the thread; a server may also want a page to be opened',
  async () => {
    await using server = await startEverything('streamableHttp')
    const url = 'https://docs.example.test/consent?case=7'
    await using model = await startStubAnthropic([
      { calls: [{ name: 'docs__trigger-url-elicitation', input: { url } }] },
      { text: 'Nobody looked.' },
      { calls: [{ name: 'docs__trigger-url-elicitation', input: { url } }] },
      { text: 'Thanks.' },
    ])
    const app = await sharedApp()
    await using scene = await startMcpSceneOn(app, server, model)
    await scene.refresh()
    await scene.enable('trigger-url-elicitation')
    const stage = sceneOf(app)
    const asker = await join(app, 'member')
    await sayAs(stage, asker, '@bellhop sign the paper')
    const question = await questionFor(asker)
    assert.deepEqual([question.url, question.schema], [url, null])
    const ahead = Date.parse(question.expiresAt) - Date.now()
    assert.ok(ahead > 0 && ahead <= 5 * 60_000, question.expiresAt)
    const { db } = app.app.ctx
    await sql`update questions set expires_at = clock_timestamp() where id = ${question.id}`.execute(db)
    const run = await stage.endedRun(question.runId)
    assert.equal(run.reply?.text, 'Nobody looked.')
    await until(async () => /Nobody answered in time/.test((await shownOf(app, question.id))[0] ?? ''))
    const path = `/questions/${question.id}/answer`
    assert.equal((await asker.visitor.send('POST', path, { action: 'accept' })).status, 409)
    const late = await asker.visitor.send<Question>('GET', `/questions/${question.id}`)
    assert.equal(late.body.state, 'expired')

    await sayAs(stage, asker, '@bellhop once more')
    const again = await questionFor(asker)
    const answered = await asker.visitor.send('POST', `/questions/${again.id}/answer`, { action: 'accept' })
    assert.equal(answered.status, 200, answered.text)
    assert.equal((await stage.endedRun(again.runId)).reply?.text, 'Thanks.')
  },
)

verifies(
  ['mcp:asks-person', 'chat:slack'],
  'in Slack, a linked person is asked in the thread and answers on the page; somebody who is not linked is not asked',
  async () => {
    const app = await sharedApp()
    await using slack = await startSlackSceneOn(app, ({ json }) =>
      /tool_result/.test(JSON.stringify(json.messages))
        ? { text: 'Done.' }
        : { calls: [{ name: 'docs__erase', input: {} }] },
    )
    await using server = await startNewestServer()
    await using scene = await startMcpSceneOn(app, { url: `${server.origin}/mcp` })
    await scene.refresh()
    await scene.enable('erase', 'write', { permission: 'auto' })
    const say = async (ts: string) => {
      const said = { user: slack.kim, channel: slack.ops, text: `<@${botUserId}> erase it`, ts }
      assert.equal((await slack.deliver(slackMessage(said, 'app_mention'))).status, 200)
    }
    const shownIn = async (ts: string) =>
      (await slack.slack.replies(slack.ops, ts)).map((reply) => JSON.stringify(reply))
    await say('1700000000.000100')
    await until(async () => (await shownIn('1700000000.000100')).some((text) => text.includes('Done.')))
    assert.match(textsOf(slack.model.requests.at(-1)?.json.messages).join(), /input_needed/)

    const asker = await join(app, 'member')
    const identity = `/api/v1/workspaces/${slack.workspace.id}/identities/${slack.kim}`
    await app.api('PUT', identity, { userId: asker.id })
    await say('1700000000.000200')
    const question = await questionFor(asker)
    const link = `${app.url}/questions/${question.id}`
    await until(async () => (await shownIn('1700000000.000200')).some((text) => text.includes(link)))
    await asker.visitor.send('POST', `/questions/${question.id}/answer`, {
      action: 'accept',
      input: { sure: true },
    })
    await until(async () => {
      const shown = (await shownIn('1700000000.000200')).join()
      return shown.includes('Done.') && shown.includes('it was answered')
    })
  },
)
