import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { EventShape } from '../../src/events/contract.ts'
import type { ScheduleShape } from '../../src/schedules/contract.ts'
import type { Stats } from '../../src/status/contract.ts'
import { createKey } from '../accounts/visitor.ts'
import { becomes } from '../support/becomes.ts'
import { textsOf } from '../support/model-script.ts'
import { runBellhop } from '../support/run-bellhop.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp, type TestApp, testApiKey } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

type Scene = { app: TestApp; channelId: string }

async function create({ app, channelId }: Scene, fields: Record<string, unknown> = {}): Promise<string> {
  const made = await app.api<ScheduleShape>('POST', '/api/v1/schedules', {
    ...{ name: 'Morning report', channelId, prompt: 'Say what came in overnight.' },
    ...{ cron: '0 9 * * 1-5', timeZone: 'Europe/Berlin', ...fields },
  })
  assert.equal(made.status, 201, made.text)
  return made.body.id
}

const read = ({ app }: Scene, id: string) => app.get<ScheduleShape>(`/api/v1/schedules/${id}`)

/** As if the clock had reached it so long ago. */
async function makeDue({ app }: Scene, id: string, ago = '0 seconds'): Promise<void> {
  const { db } = app.app.ctx
  await sql`update schedules set next_at = clock_timestamp() - ${ago}::interval where id = ${id}`.execute(db)
  await sql`select pg_notify('schedules_changed', ${id})`.execute(db)
}

const statusesOf = async (scene: Scene, id: string) =>
  (await read(scene, id)).lastOutcomes.map(({ status }) => status)

verifies(
  ['schedules:due-time-is-event', 'schedules:api', 'events:ledger'],
  'a due time becomes an event and a run with one reply, in the lists, the search, the figures and the audit log',
  async () => {
    await using model = await startStubAnthropic(() => ({ text: 'Nothing broke overnight.' }))
    await using shop = await startShopOn(await sharedApp(), { model })
    const id = await create(shop, { name: 'Night watch' })
    const fresh = await read(shop, id)
    assert.equal(fresh.inWords, 'At 09:00, Monday through Friday (Europe/Berlin)')
    assert.equal(fresh.nextTimes.length, 5)
    assert.deepEqual(
      [fresh.ceiling, fresh.ifMissed, fresh.graceMinutes, fresh.overlap, fresh.thread, fresh.allowSilence],
      ['read', 'skip', 60, 'skip', 'new', true],
    )
    await makeDue(shop, id)
    await becomes(() => statusesOf(shop, id), ['done'])

    const { items } = await shop.app.get<{ items: EventShape[] }>(`/api/v1/events?scheduleId=${id}`)
    const [event] = items
    assert.ok(event)
    assert.deepEqual(
      [event.trigger, event.webhookId, event.scheduleName, event.summary, event.reply?.text],
      ['schedule', null, 'Night watch', null, 'Nothing broke overnight.'],
    )
    const [outcome] = (await read(shop, id)).lastOutcomes
    assert.deepEqual(event.source, { kind: 'schedule', scheduleId: id, dueAt: outcome?.dueAt })
    const run = await shop.endedRun(event.runId)
    assert.deepEqual(
      [run.trigger, run.scheduleId, run.scheduleName, run.requestedBy?.kind],
      ['schedule', id, 'Night watch', 'schedule'],
    )
    const [request] = model.requests
    assert.match(JSON.stringify(request?.json.system), /schedule \\"Night watch\\":.*overnight/)
    assert.match(textsOf(request?.json.messages).at(-1) ?? '', /It is time for the schedule "Night watch"/)

    const found = await shop.app.get<{ items: EventShape[] }>('/api/v1/events?text=Night%20watch')
    assert.deepEqual(
      found.items.map((one) => one.id),
      [event.id],
    )
    const stats = await shop.app.get<Stats>(`/api/v1/stats?scheduleId=${id}`)
    assert.deepEqual([stats.totals.events, stats.byWebhook[0]?.scheduleName], [1, 'Night watch'])
    const replayed = await shop.app.api<{ id: string }>('POST', `/api/v1/events/${event.id}/replay`)
    assert.equal(replayed.status, 201, replayed.text)

    const again = await shop.app.api<{ eventId: string }>('POST', `/api/v1/schedules/${id}/run-now`)
    assert.equal(again.status, 200, again.text)
    await becomes(() => statusesOf(shop, id), ['done', 'done'])
    assert.equal((await shop.app.api('DELETE', `/api/v1/events/${event.id}`)).status, 204)
    assert.equal((await shop.app.get<EventShape>(`/api/v1/events/${event.id}`)).summary, null)
    const audit = await shop.app.get<{ items: { action: string; subjectName: string | null }[] }>(
      `/api/v1/audit?subject=${id}`,
    )
    assert.deepEqual(
      audit.items.map(({ action, subjectName }) => [action, subjectName]),
      [
        ['schedule.ran', 'Night watch'],
        ['schedule.created', 'Night watch'],
      ],
    )
    assert.equal((await shop.app.api('DELETE', `/api/v1/schedules/${id}`)).status, 204)
    assert.equal((await shop.app.api('GET', `/api/v1/schedules/${id}`)).status, 404)
  },
)

verifies(
  'schedules:missed',
  'a time within a minute is on time, a later one is missed or made up for once, and every missed time is listed',
  async () => {
    await using model = await startStubAnthropic(() => ({ text: 'NO_REPLY' }))
    await using shop = await startShopOn(await sharedApp(), { model })
    // Three times an hour, the next one in half an hour: none is due by itself during the test.
    const minutes = [7, 17, 27].map((ago) => (new Date().getUTCMinutes() + 60 - ago) % 60)
    const skips = await create(shop, { cron: `${minutes.join(',')} * * * *` })
    await makeDue(shop, skips, '40 seconds')
    await becomes(() => statusesOf(shop, skips), ['done'])
    await makeDue(shop, skips, '25 minutes')
    await until(async () => (await statusesOf(shop, skips)).length >= 3)
    const missed = (await read(shop, skips)).lastOutcomes.filter(({ status }) => status === 'missed')
    assert.ok(missed.length >= 2)
    assert.match(missed[0]?.note ?? '', /was not running at this time\. The schedule skips missed times/)
    const [next] = (await read(shop, skips)).nextTimes
    assert.ok(Date.parse(next ?? '') > Date.now())

    const runs = await create(shop, { cron: '0 0 1 1 *', ifMissed: 'run', graceMinutes: 30 })
    await makeDue(shop, runs, '25 minutes')
    await becomes(() => statusesOf(shop, runs), ['done'])
    await makeDue(shop, runs, '31 minutes')
    await until(async () => (await statusesOf(shop, runs)).length === 2)
    const [, late] = (await read(shop, runs)).lastOutcomes
    assert.match(late?.note ?? '', /noticed more than 30 minutes late/)
    const event = await shop.app.get<EventShape>(`/api/v1/events/${late?.eventId}`)
    assert.deepEqual([event.status, event.note], ['missed', late?.note])
    const gone = await shop.app.api<{ type: string }>('GET', `/api/v1/runs/${late?.runId}`)
    assert.deepEqual([gone.status, gone.body.type], [410, 'run-not-started'])

    const minutely = await create(shop, { cron: '* * * * *', ifMissed: 'run' })
    await makeDue(shop, minutely, '3 days')
    await until(async () => (await statusesOf(shop, minutely)).includes('done'))
    const { items } = await shop.app.get<{ items: EventShape[] }>(
      `/api/v1/events?scheduleId=${minutely}&status=missed&limit=100`,
    )
    assert.equal(items.length, 50)
    // They would become due again, in the middle of another test.
    for (const id of [skips, minutely])
      assert.equal((await shop.app.api('DELETE', `/api/v1/schedules/${id}`)).status, 204)
  },
)

verifies(
  'schedules:overlap',
  'a time at which the run before it is still at work is skipped, or waits for it',
  async () => {
    const held = Promise.withResolvers<void>()
    await using model = await startStubAnthropic(async () => {
      await held.promise
      return { text: 'Done at last.' }
    })
    await using shop = await startShopOn(await sharedApp(), { model })
    const [skips, waits] = [await create(shop), await create(shop, { overlap: 'wait' })]
    for (const id of [skips, waits]) {
      await makeDue(shop, id)
      await becomes(() => statusesOf(shop, id), ['dispatched'])
      await makeDue(shop, id)
    }
    await becomes(() => statusesOf(shop, skips), ['skipped', 'dispatched'])
    assert.equal((await read(shop, skips)).lastOutcomes[0]?.note, 'The run before it was still at work.')
    await becomes(() => statusesOf(shop, waits), ['accepted', 'dispatched'])
    await makeDue(shop, waits)
    await becomes(() => statusesOf(shop, waits), ['skipped', 'accepted', 'dispatched'])
    held.resolve()
    await becomes(() => statusesOf(shop, waits), ['skipped', 'done', 'done'])
  },
)

verifies(
  'schedules:overlap',
  'of five due times during one run, as of a schedule for every minute whose runs take five, only the first starts a run; the others are listed',
  async () => {
    const held = Promise.withResolvers<void>()
    await using model = await startStubAnthropic(async () => {
      await held.promise
      return { text: 'Done at last.' }
    })
    await using shop = await startShopOn(await sharedApp(), { model })
    // Due only when the test says so, however long it takes.
    const id = await create(shop, { cron: '0 0 1 1 *' })
    for (let minute = 0; minute < 5; minute++) {
      await makeDue(shop, id, `${5 - minute} seconds`)
      await until(async () => (await statusesOf(shop, id)).length === minute + 1)
    }
    await becomes(() => statusesOf(shop, id), ['skipped', 'skipped', 'skipped', 'skipped', 'dispatched'])
    await becomes(() => model.requests.length, 1)
    held.resolve()
    await becomes(async () => (await statusesOf(shop, id)).at(-1), 'done')
    await makeDue(shop, id)
    await becomes(async () => (await statusesOf(shop, id))[0], 'done')
    assert.equal((await shop.replies()).length, 2)
  },
)

verifies(
  ['schedules:failures', 'schedules:pre-flight'],
  'what is missing is found before the model is asked; three failures in a row pause with one notice, and recovery is told once',
  async () => {
    await using model = await startStubAnthropic(() => ({ text: 'Here is the report.' }))
    await using shop = await startShopOn(await sharedApp(), { model })
    const connector = await shop.app.api<{ id: string }>('POST', '/api/v1/connectors', {
      ...{ type: 'http', name: 'Short-lived', baseUrl: shop.target.origin, authType: 'none' },
    })
    const id = await create(shop, { connectorIds: [connector.body.id], thread: 'same' })
    assert.equal((await shop.app.api('DELETE', `/api/v1/connectors/${connector.body.id}`)).status, 204)
    const notices = async () => {
      const texts = (await shop.messages()).filter(({ runId }) => runId === null).map(({ text }) => text)
      return texts.toReversed()
    }
    for (let failures = 1; failures <= 3; failures++) {
      assert.equal((await read(shop, id)).paused, false)
      await makeDue(shop, id)
      await becomes(() => statusesOf(shop, id), Array<string>(failures).fill('failed'))
    }
    assert.equal(model.requests.length, 0)
    const [outcome] = (await read(shop, id)).lastOutcomes
    assert.equal((await shop.endedRun(outcome?.runId ?? '')).error?.code, 'connector_gone')
    await until(async () => (await read(shop, id)).paused)
    const paused = await read(shop, id)
    assert.deepEqual([paused.pauseReason, paused.nextTimes], ['its last 3 runs failed.', []])
    assert.equal((await notices()).length, 1)
    assert.match((await notices())[0] ?? '', /^⏸️ The schedule “Morning report” is paused/)

    const mended = { connectorIds: null, paused: false }
    const resumed = await shop.app.api<ScheduleShape>('PATCH', `/api/v1/schedules/${id}`, mended)
    assert.deepEqual([resumed.body.paused, resumed.body.nextTimes.length], [false, 5])
    for (const runs of [1, 2]) {
      await makeDue(shop, id)
      await becomes(async () => (await statusesOf(shop, id)).filter((one) => one === 'done').length, runs)
    }
    await until(async () => (await notices()).length === 2)
    assert.match((await notices())[1] ?? '', /^✅ The schedule “Morning report” works again/)
    const [second, first] = (await read(shop, id)).lastOutcomes
    const [opened, replied] = [
      await shop.endedRun(first?.runId ?? ''),
      await shop.endedRun(second?.runId ?? ''),
    ]
    assert.equal(replied.threadId, opened.threadId ?? opened.reply?.messageId)
  },
)

verifies(
  'schedules:invalid',
  'a schedule that could not run as meant is refused with the field, the reason and what to write instead',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    const base = { name: 'x', channelId: shop.channelId, prompt: 'x' }
    const cases: [Record<string, unknown>, string, RegExp][] = [
      [{ cron: '61 9 * * *' }, '/cron', /minute: 61.*0 9 \* \* 1-5/],
      [{ cron: '0 9 * *' }, '/cron', /4 fields; five are needed/],
      [{ cron: '0 0 9 * * *' }, '/cron', /6 fields; five are needed/],
      [{ cron: '0 9 31 2 *' }, '/cron', /never run/],
      [
        { cron: '0 9 * * *', timeZone: 'Mars/Base' },
        '/timeZone',
        /no time zone "Mars\/Base".*Europe\/Berlin/,
      ],
      [{ cron: '0 9 * * *', timeZone: '+01:00' }, '/timeZone', /IANA/],
      [{ cron: '0 9 * * *', at: '2099-01-01T09:00' }, '/at', /not both/],
      [{}, '/cron', /Say when/],
      [{ at: '2020-01-01T09:00' }, '/at', /in the past/],
      [{ at: '2099-02-31T09:00' }, '/at', /local date and time/],
      [{ at: '2099-01-01T09:00Z' }, '/at', /without a zone/],
      [{ cron: '0 9 * * *', graceMinutes: 0 }, '/graceMinutes', /from 1 to 1,440/],
      [
        { cron: '0 9 * * *', channelId: 'chan_00000000-0000-7000-8000-00000000ffff' },
        '/channelId',
        /no such/,
      ],
    ]
    for (const [fields, pointer, detail] of cases) {
      const sent = { ...base, ...fields }
      const refused = await shop.app.api<{ errors: { pointer: string; detail: string }[] }>(
        'POST',
        '/api/v1/schedules',
        sent,
      )
      assert.equal(refused.status, 422, JSON.stringify(sent))
      assert.equal(refused.body.errors[0]?.pointer, pointer, refused.text)
      assert.match(refused.body.errors[0]?.detail ?? '', detail)
    }
    const previewed = await shop.app.get<{ inWords: string; nextTimes: string[] }>(
      '/api/v1/schedules/preview?at=2099-01-01T09:00&timeZone=Asia/Tokyo',
    )
    assert.deepEqual(previewed, {
      inWords: 'Once, on 2099-01-01 at 09:00 (Asia/Tokyo)',
      timeZone: 'Asia/Tokyo',
      nextTimes: ['2099-01-01T00:00:00.000Z'],
    })
  },
)

verifies(
  ['schedules:api', 'accounts:roles'],
  'operators manage schedules, only admins allow destructive tools, and a change counts from now',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    const member = { key: await createKey(shop.app, 'member') }
    const operator = { key: await createKey(shop.app, 'operator') }
    const patch = (fields: Record<string, unknown>) =>
      shop.app.api<ScheduleShape>('PATCH', path, fields, operator)
    const id = await create(shop)
    const path = `/api/v1/schedules/${id}`
    assert.equal((await shop.app.api('GET', path, undefined, member)).status, 403)
    assert.equal((await patch({ ceiling: 'destructive' })).status, 403)
    const off = await patch({ active: false })
    assert.deepEqual([off.status, off.body.nextTimes], [200, []])
    const once = await patch({ at: '2099-01-01T09:00', active: true })
    assert.deepEqual([once.body.cron, once.body.nextTimes], [null, ['2099-01-01T08:00:00.000Z']])
    assert.equal((await patch({ at: null })).status, 422)
    const busy = await shop.app.api('DELETE', `/api/v1/channels/${shop.channelId}`)
    assert.equal(busy.status, 409)
    assert.match(busy.text, /schedules post to this channel: Morning report/)
    const { items } = await shop.app.get<{ items: ScheduleShape[] }>('/api/v1/schedules?q=morning&limit=100')
    assert.ok(items.some((one) => one.id === id))
  },
)

verifies('cli:schedules', 'the command line lists the schedules, and runs one by its name', async () => {
  await using shop = await startShopOn(await sharedApp())
  const name = `Report ${crypto.randomUUID()}`
  const id = await create(shop, { name })
  const bellhop = (...args: string[]) =>
    runBellhop(['schedules', ...args, '--url', shop.app.url, '--key', testApiKey])
  const line = async () => (await bellhop()).out.split('\n').find((one) => one.startsWith(id)) ?? ''
  assert.match(await line(), /At 09:00, Monday through Friday .* · next 20.* · has not run yet$/)
  assert.match((await bellhop('--run', name)).out, /^“Report .*” runs now: run_/)
  await becomes(() => statusesOf(shop, id), ['done'])
  assert.match(await line(), / · last 20\S+ done$/)
  await create(shop, { name })
  for (const [which, says] of [
    [name, /2 schedules are called/],
    ['none', /There is no schedule with the name or id “none”/],
  ] as const) {
    const { code, err } = await bellhop('--run', which)
    assert.equal(code, 1)
    assert.match(err, says)
  }
})
