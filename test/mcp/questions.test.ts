import assert from 'node:assert/strict'
import { join, type Person } from '../accounts/visitor.ts'
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
    assert.match((await shownOf(app, question.id))[0] ?? '', /\*\*Docs\*\* asks you something/)
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

    const { runId } = await stage.ring(await stage.createWebhook())
    const [call] = (await stage.endedRun(runId)).toolCalls
    assert.deepEqual([call?.error?.code, call?.state], ['input_needed', 'answered'])
    assert.match(call?.response?.body ?? '', /Really erase/)

    server.own.asksForSecret = true
    await sayAs(stage, asker, '@bellhop erase it again')
    await until(async () => (await stage.replies()).length >= 3)
    assert.deepEqual((await asker.visitor.send<{ items: [] }>('GET', '/questions')).body.items, [])
  },
)
