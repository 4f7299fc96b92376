import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { sweepRuns } from '../../../src/runs/loop/sweep-runs.ts'
import { botUserId, signSlack, slackMessage, startSlack } from '../../chat/support/start-slack.ts'
import { connectSlack } from '../../chat/support/start-slack-scene.ts'
import { faultPoints } from '../../support/fault-points.ts'
import { startVictim } from '../../support/interrupt-run.ts'
import { startShop } from '../../support/start-shop.ts'
import { startTestApp } from '../../support/start-test-app.ts'
import { startStubAnthropic } from '../../support/stub-anthropic.ts'
import { createTestDatabase } from '../../support/test-database.ts'
import { until } from '../../support/until.ts'
import { verifies } from '../../support/verifies.ts'

// A run that somebody asked for in a chat has no event to start it.
for (const point of faultPoints.filter((one) => one !== 'run.started')) {
  verifies(
    ['runs:live-plan', 'runs:outbox'],
    `SIGKILL at ${point} of a run whose plan is shown: one sealed plan, one reply`,
    async () => {
      await using stack = new AsyncDisposableStack()
      const { url: databaseUrl } = stack.use(await createTestDatabase())
      const slack = stack.use(await startSlack())
      const ops = await slack.channelId('ops')
      slack.joined.add(ops)
      const ts = `${Math.floor(Date.now() / 1000)}.000100`
      const texts = async () => (await slack.replies(ops, ts)).map(({ text }) => text)
      const isShown = async () => (await texts()).some((text) => text.startsWith('⏳'))
      const model = stack.use(
        await startStubAnthropic(async ({ body }) => {
          if (body.includes('tool_use_id')) return { text: 'It is paid.' }
          if (point !== 'run.taken') await until(isShown)
          return { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] }
        }),
      )
      // This app takes in what Slack sends, and works on nothing.
      const shop = stack.use(
        await startShop({
          databaseUrl,
          env: { ...model.env, ROLE: 'web', EGRESS_PRIVATE_EXCEPTIONS: slack.pair },
        }),
      )
      const workspace = await connectSlack(shop.app, slack)
      const env = {
        ...model.env,
        ROLE: 'worker',
        EGRESS_PRIVATE_EXCEPTIONS: `${shop.target.pair},${slack.pair}`,
      }
      const victim = stack.use(startVictim([databaseUrl, point, 'SIGKILL', JSON.stringify(env)]))
      await victim.saw('ready')
      const user = await slack.userId('kim')
      const body = slackMessage(
        { user, channel: ops, text: `<@${botUserId}> is A-1 paid?`, ts },
        'app_mention',
      )
      const headers = { 'content-type': 'application/json', ...signSlack(body) }
      const taken = await fetch(`${shop.app.url}/chat/slack/${workspace.id}`, {
        method: 'POST',
        headers,
        body,
      })
      assert.equal(taken.status, 200)
      await victim.saw('struck')
      const heir = stack.use(await startTestApp({ databaseUrl, env }))
      // What took the lease's six seconds, and then as long until somebody looks after forgotten runs.
      await sql`update runs set lease_until = now() - interval '1 minute' where ended_at is null`.execute(
        heir.app.ctx.db,
      )
      await sweepRuns(heir.app.ctx)
      const { items } = await shop.app.get<{ items: { id: string }[] }>('/api/v1/runs')
      assert.equal(items.length, 1)
      assert.equal((await shop.endedRun(items[0]?.id ?? '')).status, 'succeeded')
      await until(async () => !(await isShown()))
      const plans = (await texts()).filter((text) => text.startsWith('✅'))
      // Killed at its very beginning, the run may be done before a plan is due.
      assert.ok(plans.length === 1 || (plans.length === 0 && point === 'run.taken'), (await texts()).join())
      assert.deepEqual(
        (await texts()).filter((text) => !plans.includes(text)),
        ['It is paid.'],
      )
    },
  )
}
