import assert from 'node:assert/strict'
import { type ModelRequest, textsOf } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

/** Writes into a thread and waits for the answer. */
async function say(shop: Awaited<ReturnType<typeof startShopOn>>, threadId: unknown, text: string) {
  const before = (await shop.replies()).length
  const said = await shop.app.api('POST', `/api/v1/channels/${shop.channelId}/messages`, { text, threadId })
  assert.equal(said.status, 201, said.text)
  await until(async () => (await shop.replies()).length === before + 1)
}

/** A model with a window of 32,000 tokens, half of which is 48,000 characters. */
const small = { MODEL_NAME: 'small' }
const half = 48_000

verifies(
  ['runs:thread-continues', 'runs:big-bodies'],
  'in a long thread, the newest tool answers that fit into half of the window are shown, and of older turns what was said',
  async () => {
    let asked = 0
    await using model = await startStubAnthropic(({ json }) => {
      const last = JSON.stringify((json.messages as unknown[]).at(-1)) // Anthropic's wire format
      if (last.includes('tool_result')) return { text: `This is reply ${asked}.` }
      asked++
      return { calls: [{ name: 'shop__get_order', input: { id: `A-${asked}` } }] }
    })
    await using shop = await startShopOn(await sharedApp(), {
      model: { env: { ...model.env, ...small } },
      answer: ({ url }, response) =>
        response.setHeader('content-type', 'text/plain').end(`${url} ${'x'.repeat(18_000)}`),
    })
    const event = '{"what":"paid"}'
    const first = await shop.endedRun((await shop.sendEvent(await shop.createWebhook(), event)).runId)
    for (const n of [1, 2, 3, 4]) await say(shop, first.reply?.messageId, `This is question ${n}.`)

    const opening = model.requests.at(-2)
    const told = JSON.stringify(opening?.json.messages)
    assert.ok(told.length < half, `${told.length}`)
    const texts = textsOf(opening?.json.messages)
    const said = texts.filter((text) => text.includes('This is '))
    assert.deepEqual(
      said.map((text) => text.match(/This is (.*)\./)?.[1]),
      ['reply 1', 'question 1', 'reply 2', 'question 2', 'reply 3', 'question 3', 'reply 4', 'question 4'],
    )
    assert.ok(texts.some((text) => text.includes(event)))
    const shown = texts.filter((text) => text.includes('xxx')).map((text) => text.match(/A-\d/)?.[0])
    assert.deepEqual(shown, ['A-3', 'A-4'])
    assert.equal(told.split('"tool_use"').length, told.split('"tool_result"').length)
  },
)

verifies(
  ['runs:thread-continues', 'runs:big-bodies'],
  'of a turn whose answers do not fit together, the newest are shown, and the model reads the others with read_more',
  async () => {
    const ids = ['A-1', 'A-2', 'A-3', 'A-4', 'A-5']
    let steps = 0
    await using model = await startStubAnthropic(({ json }) => {
      const told = JSON.stringify(json.messages)
      if (told.includes('And the first?')) {
        // The note of the first call, as the model is shown it.
        const source = told.match(
          /does not fit here any more\. Read it with read_more, source \\+"(call_[\w-]+)/,
        )?.[1]
        const isRead = told.includes('part of call_')
        return isRead ? { text: 'Read.' } : { calls: [{ name: 'read_more', input: { source } }] }
      }
      const id = ids[steps++]
      return id ? { calls: [{ name: 'shop__get_order', input: { id } }] } : { text: 'All five read.' }
    })
    await using shop = await startShopOn(await sharedApp(), {
      model: { env: { ...model.env, ...small } },
      answer: ({ url }, response) =>
        response.setHeader('content-type', 'text/plain').end(`${url} ${'x'.repeat(18_000)}`),
    })
    const first = await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
    await say(shop, first.reply?.messageId, 'And the first?')

    const [opening, answered] = model.requests.slice(-2).map(({ json }) => textsOf(json.messages))
    assert.ok(JSON.stringify(opening).length < half)
    const shown = (opening ?? [])
      .filter((text) => text.includes('xxx'))
      .map((text) => text.match(/A-\d/)?.[0])
    assert.deepEqual(shown, ['A-4', 'A-5'])
    const told = JSON.stringify(model.requests.at(-2)?.json.messages)
    assert.deepEqual(
      ids.filter((id) => told.includes(`"input":{"id":"${id}"}`)),
      ids,
    )
    assert.match(answered?.at(-1) ?? '', /part of call_.*\n\/orders\/A-1 xxx/)
  },
)

verifies(
  ['runs:thread-continues', 'runs:big-bodies'],
  'if not even the texts of a thread fit, the oldest are left out; the newest message is whole, and the event stays readable',
  async () => {
    await using model = await startStubAnthropic(({ json }) => {
      const last = JSON.stringify((json.messages as unknown[]).at(-1)) // Anthropic's wire format
      return last.includes('the end?') && !last.includes('tool_result')
        ? { calls: [{ name: 'read_more', input: { source: 'event', pointer: '/end' } }] }
        : { text: 'So it is.' }
    })
    await using shop = await startShopOn(await sharedApp(), { model: { env: { ...model.env, ...small } } })
    const event = { begin: 'the begin', long: 'e'.repeat(30_000), end: 'the very end' }
    const first = await shop.endedRun((await shop.sendEvent(await shop.createWebhook(), event)).runId)
    const threadId = first.reply?.messageId
    for (const letter of ['a', 'b', 'c']) await say(shop, threadId, letter.repeat(20_000))
    await say(shop, threadId, 'n'.repeat(30_000))
    const crowded = textsOf(model.requests.at(-1)?.json.messages).join('\n')
    assert.ok(crowded.includes('n'.repeat(30_000)))
    assert.ok(!/aaaa|bbbb|cccc/.test(crowded))
    assert.match(crowded, /Earlier messages of this thread do not fit here and are left out\./)
    assert.match(crowded, /"begin":"the begin"/)

    await say(shop, threadId, 'What is at the end?')
    const [opening = '', answered = ''] = model.requests
      .slice(-2)
      .map(({ json }) => textsOf(json.messages).join('\n'))
    assert.ok(opening.includes('nnnn') && !opening.includes('cccc'))
    assert.ok(opening.length < half, `${opening.length}`)
    assert.match(answered, /the very end/)
  },
)

verifies(
  'runs:thread-continues',
  'an image that a tool returned stays in the thread, since it takes less room than its bytes',
  async () => {
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(600_000, 7)])
    await using model = await startStubAnthropic([
      { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] },
      { text: 'A picture.' },
    ])
    await using shop = await startShopOn(await sharedApp(), {
      model,
      answer: (_request, response) => response.setHeader('content-type', 'image/png').end(png),
    })
    const run = await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
    await say(shop, run.reply?.messageId, 'Of what?')
    assert.ok(model.requests.at(-1)?.body.includes(png.toString('base64')))
  },
)

verifies(
  ['runs:thread-continues', 'runs:big-bodies'],
  'read_more reads answers of earlier turns of the same thread, and not those of another thread',
  async () => {
    const items = Array.from({ length: 6000 }, (_, n) => ({ n, name: `customer number ${n}` }))
    let foreign: unknown = null
    await using model = await startStubAnthropic(({ json }) => {
      const messages = JSON.stringify(json.messages)
      const last = JSON.stringify((json.messages as unknown[]).at(-1)) // Anthropic's wire format
      if (last.includes('tool_result')) return { text: 'Read.' }
      const noted = messages.match(/source \\+"(call_[\w-]+)/)?.[1]
      if (last.includes('the other')) return { calls: [{ name: 'read_more', input: { source: foreign } }] }
      return last.includes('the rest')
        ? { calls: [{ name: 'read_more', input: { source: noted, from: 5990 } }] }
        : { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] }
    })
    await using shop = await startShopOn(await sharedApp(), {
      model,
      answer: (_request, response) =>
        response.setHeader('content-type', 'application/json').end(JSON.stringify(items)),
    })
    const webhook = await shop.createWebhook()
    const first = await shop.endedRun((await shop.sendEvent(webhook)).runId)
    const second = await shop.endedRun((await shop.sendEvent(webhook)).runId)
    const told = () => textsOf(model.requests.at(-1)?.json.messages).at(-1) ?? ''
    await say(shop, first.reply?.messageId, 'Show the rest.')
    assert.match(told(), /"name":"customer number 5990"/)
    await say(shop, first.reply?.messageId, 'The rest once more, please: the rest.')
    assert.match(told(), /"name":"customer number 5999"/)

    foreign = second.toolCalls[0]?.id
    await say(shop, first.reply?.messageId, 'Show the other.')
    assert.match(told(), /There is no source call_/)
    foreign = first.toolCalls[0]?.id
    await say(shop, second.reply?.messageId, 'Show the other.')
    assert.match(told(), /There is no source call_/)
    await say(shop, null, '@bellhop Show the other.')
    assert.match(told(), /There is no source call_/)
  },
)

verifies(
  ['runs:thread-continues', 'models:providers'],
  'a thread can go on with another provider, also with one that accepts only call ids of nine letters and digits',
  async () => {
    const calls = [
      { name: 'shop__get_order', input: { id: 'A-1' } },
      { name: 'shop__get_order', input: { id: 'A-2' } },
    ]
    await using claude = await startStubAnthropic(({ json }) => {
      const last = JSON.stringify((json.messages as unknown[]).at(-1)) // Anthropic's wire format
      return last.includes('tool_result') ? { text: 'Seen.' } : { calls }
    })
    const ids = ({ json }: ModelRequest) =>
      (json.messages as { tool_calls?: { id: string }[]; tool_call_id?: string }[]).flatMap(
        ({ tool_calls: made = [], tool_call_id: answered }) => [
          ...made.map(({ id }) => id),
          ...(answered === undefined ? [] : [answered]),
        ],
      ) // OpenAI's wire format
    await using mistral = await startStubOpenai((request) =>
      ids(request).every((id) => /^[a-zA-Z0-9]{9}$/.test(id))
        ? { text: 'Bonjour.' }
        : { status: 400, message: 'Tool call id must be a-z, A-Z, 0-9, with a length of 9.' },
    )
    await using shop = await startShopOn(await sharedApp(), { model: claude })
    const run = await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
    await say(shop, run.reply?.messageId, 'And now?')
    const model = {
      provider: 'openai-compatible',
      name: 'mistral-large',
      baseUrl: mistral.baseUrl,
      apiKey: 'k',
    }
    assert.equal((await shop.app.api('PATCH', '/api/v1/settings', { model })).status, 200)
    await say(shop, run.reply?.messageId, 'And with you?')
    assert.equal((await shop.replies())[0]?.text, 'Bonjour.')
    const [sent] = mistral.requests
    assert.ok(sent)
    const [a, b, , , c, d] = ids(sent)
    assert.deepEqual(ids(sent), [a, b, a, b, c, d, c, d])
    assert.equal(new Set(ids(sent)).size, 4)
  },
)
