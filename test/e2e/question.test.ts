import assert from 'node:assert/strict'
import { createVisitor } from '../accounts/visitor.ts'
import { startMcpSceneOn } from '../mcp/start-mcp-scene.ts'
import { startNewestServer } from '../mcp/start-newest-server.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { sceneOf } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

verifies('mcp:asks-person', 'whoever wrote to the agent answers what a server asks in a form', async () => {
  await using server = await startNewestServer()
  await using model = await startStubAnthropic([
    { calls: [{ name: 'docs__erase', input: {} }] },
    { text: 'Erased.' },
  ])
  await using app = await startTestApp({ env: loopback, admin })
  await using scene = await startMcpSceneOn(app, { url: `${server.origin}/mcp` }, model)
  await scene.refresh()
  await scene.enable('erase', 'write', { permission: 'auto' })
  const stage = sceneOf(app)
  await using visitor = await visit(app, admin)
  const { page } = visitor
  const person = createVisitor(app)
  await person.send('POST', '/session', admin)
  await person.send('POST', `/channels/${stage.channelId}/messages`, { text: '@bellhop erase it' })

  let asked: { id: string }[] = []
  await until(async () => {
    asked = (await person.send<{ items: typeof asked }>('GET', '/questions')).body.items
    return asked.length > 0
  })
  await goTo(page, `/questions/${asked[0]?.id}`)
  await page.getByText('Really erase?').waitFor()
  await page.getByRole('checkbox', { name: 'sure' }).check()
  await page.getByRole('button', { name: 'Send answer' }).click()
  await page.getByText('Answered. The call continues.').waitFor()
  await page.getByRole('link', { name: 'your run' }).click()
  await page.getByText('Erased.').first().waitFor()
  assert.match(
    server.seen.findLast(({ body }) => body.includes('tools/call'))?.body ?? '',
    /"sure":true.*opaque-state|opaque-state.*"sure":true/,
  )
  assert.deepEqual(visitor.refusals, [])
})
