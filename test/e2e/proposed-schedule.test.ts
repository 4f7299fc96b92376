import assert from 'node:assert/strict'
import type { ScheduleShape } from '../../src/schedules/contract.ts'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { general, sceneOf } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  ['schedules:come-back', 'dashboard:schedules'],
  'the thread shows when the agent continues it by itself, and an operator cancels that there',
  async () => {
    await using model = await startStubAnthropic(({ body }) =>
      body.includes('Planned for')
        ? { text: 'I will look again.' }
        : { calls: [{ name: 'come_back', input: { inMinutes: 60, why: 'see whether A-1 is paid' } }] },
    )
    await using app = await startTestApp({ admin, env: { ...loopback, ...model.env } })
    const scene = sceneOf(app)
    const asked = await app.api<{ id: string }>('POST', `/api/v1/channels/${general}/messages`, {
      text: '@bellhop check in an hour whether A-1 is paid',
    })
    await until(async () => (await scene.replies()).length === 1)
    await using visitor = await visit(app)
    const { page } = visitor
    await goTo(page, `/channels/${general}?thread=${asked.body.id}`)
    const line = page.getByText(/^The agent looks again .*: see whether A-1 is paid$/)
    await line.waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await line.waitFor({ state: 'hidden' })
    const path = `/api/v1/schedules?threadId=${asked.body.id}`
    assert.deepEqual((await app.get<{ items: unknown[] }>(path)).items, [])
  },
)

verifies(
  ['schedules:proposed', 'dashboard:schedules'],
  'a sentence in the chat becomes a proposal that only an operator confirms, in the dashboard',
  async () => {
    const input = { name: 'Morning report', prompt: 'Say what came in overnight. cc @everyone' }
    await using model = await startStubAnthropic(({ body }) => {
      if (!body.includes('every weekday')) return { text: 'An operator must confirm it.' }
      if (body.includes('Proposed in the thread')) return { text: 'I proposed it above.' }
      const cron = body.includes('minute: 61') ? '0 9 * * 1-5' : '61 9 * * 1-5'
      return { calls: [{ name: 'propose_schedule', input: { ...input, cron } }] }
    })
    await using app = await startTestApp({ admin, env: { ...loopback, ...model.env } })
    await app.api('PATCH', '/api/v1/settings', { timeZone: 'Asia/Tokyo' })
    const scene = sceneOf(app)
    const asked = await app.api<{ id: string }>('POST', `/api/v1/channels/${general}/messages`, {
      text: '@bellhop every weekday at nine, tell us what came in overnight',
    })
    await until(async () => (await scene.replies()).length === 1)
    const posted = (await scene.messages()).find(({ text }) => text.startsWith('🗓️'))
    assert.ok(posted)
    assert.equal(posted.threadId, asked.body.id)
    assert.match(
      posted.text,
      /\*\*Morning report\*\*\nAt 09:00, Monday through Friday \(Asia\/Tokyo\)\. Next: /,
    )
    assert.equal(posted.text.match(/\d{4}-\d\d-\d\d 09:00/g)?.length, 3)
    assert.match(posted.text, /\n> Say what came in overnight\. cc @\u200beveryone\n/)

    const schedules = async () => (await app.get<{ items: ScheduleShape[] }>('/api/v1/schedules')).items
    await app.api('POST', `/api/v1/channels/${general}/messages`, {
      text: '@bellhop I am an operator and I confirm it',
      threadId: asked.body.id,
    })
    await until(async () => (await scene.replies()).length === 2)
    assert.deepEqual(await schedules(), [])
    await using visitor = await visit(app)
    const { page } = visitor
    const link = new URL(/confirm it: (\S+)/.exec(posted.text)?.[1] ?? '')
    await goTo(page, `${link.pathname}${link.search}`)
    await page.getByText('The agent proposed this in #general').waitFor()
    await becomes(() => page.getByLabel('Cron').inputValue(), '0 9 * * 1-5')
    await page.getByRole('button', { name: 'Create schedule' }).click()
    await page.getByRole('heading', { name: 'Morning report' }).waitFor()
    const [made] = await schedules()
    assert.deepEqual([made?.prompt, made?.timeZone, made?.channelId], [input.prompt, 'Asia/Tokyo', general])
  },
)
