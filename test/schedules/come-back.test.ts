import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { RunShape } from '../../src/runs/contract.ts'
import { textsOf } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

verifies(
  'schedules:come-back',
  'the agent continues a thread by itself at the time it gave, and people see when and can have it cancelled',
  async () => {
    const inputs: Record<string, unknown>[] = [
      { inMinutes: 60 },
      { at: '2099-01-01T09:00', why: 'x' },
      { at: 'tomorrow', why: 'x' },
      { inMinutes: 60, why: 'see whether A-1 is paid' },
      { inMinutes: 30, why: 'see whether A-1 is paid, sooner' },
    ]
    await using model = await startStubAnthropic(({ json }, index) => {
      const newest = textsOf(json.messages).at(-1) ?? ''
      if (newest.includes('your own note')) return { text: 'It is paid now.' }
      if (newest.includes('never mind')) return { calls: [{ name: 'come_back', input: { cancel: true } }] }
      if (newest.includes('Cancelled')) return { text: 'I will not look again.' }
      const input = inputs[index]
      return input ? { calls: [{ name: 'come_back', input }] } : { text: 'I will look again.' }
    })
    await using shop = await startShopOn(await sharedApp(), { model })
    const say = async (text: string, threadId?: string) =>
      (
        await shop.app.api<{ id: string }>('POST', `/api/v1/channels/${shop.channelId}/messages`, {
          text,
          threadId,
        })
      ).body.id
    const thread = await say('@bellhop check in an hour whether A-1 is paid')
    await until(async () => (await shop.replies()).length === 1)
    const answers = textsOf(model.requests.at(-1)?.json.messages).join('\n')
    assert.match(answers, /Give why, and either inMinutes or at/)
    assert.match(answers, /30 days from now at most/)
    assert.match(answers, /local date and time without a zone/)
    const shown = (await shop.messages()).filter(({ text }) => text.startsWith('⏰'))
    assert.deepEqual([...new Set(shown.map(({ threadId }) => threadId))], [thread])
    assert.match(
      shown[0]?.text ?? '',
      /I will look again at .*: see whether A-1 is paid.*\nTo cancel it, tell me here/,
    )

    const { db } = shop.app.app.ctx
    const waiting = async () => {
      const { rows } = await sql<{ id: string }>`
        select id from schedules where thread_id = ${thread} and next_at is not null`.execute(db)
      return rows.map(({ id }) => id)
    }
    const [id, ...others] = await waiting()
    assert.deepEqual(others, [])
    const { items } = await shop.app.get<{ items: { id: string }[] }>('/api/v1/schedules?limit=100')
    assert.ok(!items.some((one) => one.id === id))
    type Planned = { items: { id: string; why: string }[] }
    const planned = await shop.app.get<Planned>(`/api/v1/schedules?threadId=${thread}`)
    assert.deepEqual(
      planned.items.map((one) => [one.id, one.why]),
      [[id, 'see whether A-1 is paid, sooner']],
    )
    await sql`update schedules set next_at = clock_timestamp(), at = '2020-01-01T00:00' where id = ${id}`.execute(
      db,
    )
    await sql`select pg_notify('schedules_changed', '')`.execute(db)
    await until(async () => (await shop.replies()).length === 2)
    const back = (await shop.replies()).find(({ text }) => text === 'It is paid now.')
    assert.equal(back?.threadId, thread)
    const run = await shop.app.get<RunShape>(`/api/v1/runs/${back?.runId}`)
    assert.deepEqual([run.trigger, run.threadId], ['schedule', thread])
    const told = textsOf(model.requests.at(-1)?.json.messages)
    assert.match(told.join('\n'), /check in an hour whether A-1 is paid/)
    assert.match(told.at(-1) ?? '', /<<your own note \S+>>\nsee whether A-1 is paid, sooner\n<<end/)
    assert.doesNotMatch(JSON.stringify(model.requests.at(-1)?.json.system), /sooner/)
    assert.deepEqual(await waiting(), [])

    await say('@bellhop never mind', thread)
    await until(async () => (await shop.replies()).length === 3)
    assert.match(
      textsOf(model.requests.at(-1)?.json.messages).join('\n'),
      /Nothing was planned in this thread/,
    )
  },
)
