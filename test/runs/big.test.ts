import assert from 'node:assert/strict'
import type { Page } from '../../src/runs/prompt/cut-page.ts'
import { readPage } from '../../src/runs/prompt/read-page.ts'
import { type ModelRequest, namesOf, textsOf } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

verifies(
  'runs:big-bodies',
  'an answer that does not fit is split into pages of valid JSON, with numbers as written, and read_more returns the next one',
  async () => {
    const items = Array.from({ length: 6000 }, (_, n) => `{"n":${n},"big":12345678901234567890}`)
    const whole = `{"count":6000,"items":[${items.join(',')}]}`
    await using model = await startStubAnthropic(({ json }, index) => {
      const told = textsOf(json.messages).at(-1) ?? ''
      if (index === 0) return { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] }
      if (index > 1) return { text: 'Read.' }
      const source = told.match(/source "(call_[^"]+)"/)?.[1]
      return { calls: [{ name: 'read_more', input: { source, pointer: '/items', from: 5990 } }] }
    })
    await using shop = await startShopOn(await sharedApp(), {
      model,
      answer: (_request, response) => response.setHeader('content-type', 'application/json').end(whole),
    })
    const run = await shop.endedRun((await shop.ring(await shop.createWebhook())).runId)
    assert.equal(run.status, 'succeeded')
    assert.equal(run.toolCalls[0]?.response?.body, whole)
    const shown = textsOf(model.requests[1]?.json.messages).at(-1) ?? ''
    assert.ok(shown.length < 200_000)
    const page = shown.split('\n')[2] ?? ''
    assert.equal((JSON.parse(page) as { count: number }).count, 6000)
    assert.ok(page.includes('"big":12345678901234567890'))
    const more = textsOf(model.requests[2]?.json.messages).at(-1) ?? ''
    const rest = JSON.parse(more.split('\n')[1] ?? '') as { n: number }[]
    assert.deepEqual(
      rest.map(({ n }) => n),
      Array.from({ length: 10 }, (_, n) => 5990 + n),
    )
  },
)

verifies(
  ['runs:big-bodies', 'runs:own-context'],
  'read_more reads the answers of its own run, and not those of another run of the webhook',
  async () => {
    let source = ''
    await using model = await startStubAnthropic(({ body }) => {
      if (body.includes('tool_result')) return { text: 'Read.' }
      return source === ''
        ? { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] }
        : { calls: [{ name: 'read_more', input: { source } }] }
    })
    await using shop = await startShopOn(await sharedApp(), { model })
    const webhook = await shop.createWebhook()
    const first = await shop.endedRun((await shop.ring(webhook)).runId)
    source = first.toolCalls[0]?.id ?? ''
    assert.match(source, /^call_/)
    await shop.endedRun((await shop.ring(webhook)).runId)
    const told = textsOf(model.requests.at(-1)?.json.messages).at(-1) ?? ''
    assert.match(told, /There is no source call_/)
    assert.doesNotMatch(told, /"ok":true/)
  },
)

verifies(
  'runs:big-bodies',
  'the answers to all calls of a step share half of the room that is left, and a single one gets as much as ever',
  async () => {
    const long = 'x'.repeat(400_000)
    await using model = await startStubAnthropic(({ body }) => {
      if (body.includes('tool_result')) return { text: 'Read.' }
      const ids = body.includes('many, please') ? ['A-1', 'A-2', 'A-3', 'A-4', 'A-5', 'A-6'] : ['A-1']
      return { calls: ids.map((id) => ({ name: 'shop__get_order', input: { id } })) }
    })
    await using shop = await startShopOn(await sharedApp(), {
      model,
      answer: (_request, response) => response.setHeader('content-type', 'text/plain').end(long),
    })
    const webhook = await shop.createWebhook()
    const shownFor = async (event: string) => {
      await shop.endedRun((await shop.ring(webhook, { event })).runId)
      return textsOf(model.requests.at(-1)?.json.messages).map((text) => text.match(/x+$/m)?.[0].length ?? 0)
    }
    const ofOne = Math.max(...(await shownFor('one, please')))
    const ofMany = (await shownFor('many, please')).filter((length) => length > 100)
    // Claude has a window of 200,000 tokens, and a token counts as three characters.
    assert.equal(ofOne, 150_000)
    assert.equal(ofMany.length, 6)
    const sum = ofMany.reduce((total, length) => total + length, 0)
    assert.ok(sum > 290_000 && sum <= 300_000, `${sum}`)
  },
)

verifies(
  ['runs:big-bodies', 'runs:thread-continues'],
  'a letter that is about one token, as in Chinese, takes as much room as three Latin ones',
  async () => {
    await using model = await startStubAnthropic(({ body }) =>
      body.includes('tool_result')
        ? { text: '好的。' }
        : { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] },
    )
    await using shop = await startShopOn(await sharedApp(), {
      model: { env: { ...model.env, MODEL_NAME: 'small' } },
      answer: (_request, response) =>
        response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify({ text: '答'.repeat(20_000) })),
    })
    const event = { text: '问'.repeat(40_000) }
    const run = await shop.endedRun((await shop.ring(await shop.createWebhook(), event)).runId)
    const lettersIn = (request: ModelRequest | undefined, letter: string) =>
      textsOf(request?.json.messages).join('').split(letter).length - 1
    // Half of a window of 32,000 tokens, and a quarter of it. A text in an object gets half of the room for the object.
    const [opening, answered] = model.requests
    assert.ok(lettersIn(opening, '问') > 7000 && lettersIn(opening, '问') <= 16_000)
    assert.ok(lettersIn(answered, '答') > 3000 && lettersIn(answered, '答') <= 8000)

    const text = '再'.repeat(8000)
    const threadId = run.reply?.messageId
    await shop.app.api('POST', `/api/v1/channels/${shop.channelId}/messages`, { text, threadId })
    await until(async () => (await shop.replies()).length === 2)
    const followUp = model.requests.at(-1)
    const letters = ['问', '答', '再'].map((letter) => lettersIn(followUp, letter))
    assert.equal(letters[2], 8000)
    assert.ok(letters.reduce((sum, count) => sum + count, 0) <= 16_000, letters.join(' '))
  },
)

verifies(
  'runs:big-bodies',
  'of a run with many megabytes of answers, those beyond 4 MiB are shown by their beginnings',
  async () => {
    const long = 'x'.repeat(1024 * 1024)
    const calls = Array.from({ length: 6 }, (_, n) => ({ name: 'shop__get_order', input: { id: `A-${n}` } }))
    await using model = await startStubAnthropic([{ calls }, { text: 'Read.' }])
    await using shop = await startShopOn(await sharedApp(), {
      model,
      answer: (_request, response) => response.setHeader('content-type', 'text/plain').end(long),
    })
    const run = await shop.endedRun((await shop.ring(await shop.createWebhook())).runId)
    assert.equal(run.status, 'succeeded')
    const lengths = run.toolCalls.map(({ response }) => response?.body.length).toSorted()
    assert.deepEqual(lengths, [long.length, long.length, long.length, long.length, 16_000, 16_000])
    const warned = run.toolCalls.filter(({ warnings }) =>
      warnings.some((words) => words.startsWith('Only the beginning')),
    )
    assert.deepEqual(
      warned.map(({ response }) => response?.body.length),
      [16_000, 16_000],
    )
  },
)

verifies(
  'runs:big-bodies',
  'pages of any document are valid JSON, fit, and lose nothing between them',
  async () => {
    const long = 'x'.repeat(5000)
    const documents = [
      Array.from({ length: 300 }, (_, n) => ({ n, text: `line ${n}` })),
      { a: long, b: { deep: { deeper: [long, long] } }, __proto__x: 1 },
      [[[[long]]]],
      Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`key/${n}~`, n])),
      // Long enough to be parsed in another thread.
      Array.from({ length: 30 }, (_, n) => ({ n, long })),
    ]
    for (const document of documents) {
      const text = JSON.stringify(document)
      const total = Object.keys(document).length
      let from: number | null = 0
      let seen = 0
      while (from !== null) {
        const page: Page = await readPage(text, { pointer: '', from, maxBytes: 2000 })
        assert.ok(page.text.length <= 2600, `${page.text.length}`)
        const members = Object.keys(JSON.parse(page.text) as object).length
        seen += members
        assert.equal(page.next, seen < total ? from + members : null)
        from = page.next
      }
      assert.equal(seen, total)
    }
    const plain = await readPage('abcdef', { pointer: '', from: 2, maxBytes: 3 })
    assert.deepEqual([plain.text, plain.next, plain.total], ['cde', 5, 6])

    // Only a part with omissions, or the end of a longer one, says that it is incomplete.
    const order = JSON.stringify({ items: [{ __proto__: null, n: 1 }, { note: long }], ['__proto__']: [7] })
    const isWhole = async (pointer: string, from = 0) =>
      (await readPage(order, { pointer, from, maxBytes: 2000 })).whole
    assert.deepEqual(
      [await isWhole('/items/0'), await isWhole('/__proto__'), await isWhole('/nowhere')],
      [true, true, true],
    )
    assert.deepEqual([await isWhole('/items/1'), await isWhole('/items', 1)], [false, false])
    const shown = await readPage(order, { pointer: '', from: 0, maxBytes: 2000 })
    assert.ok(shown.text.endsWith(',"__proto__":[7]}'), shown.text.slice(-100))
  },
)

verifies(
  ['runs:many-tools', 'runs:fenced'],
  'above a threshold tools are found by words, within the scope, and loaded on demand with their schemas unchanged',
  async () => {
    const tools = Array.from({ length: 60 }, (_, n) => ({
      name: n === 42 ? 'cancel_order' : `noise_${n}`,
      // More tools match by description than are returned at once: those that match by name come first.
      description: n < 9 ? 'Lists who can cancel an order' : `Something else, number ${n}`,
      method: 'GET',
      path: `/${n}/{id}`,
      capability: 'read',
      inputSchema: {
        type: 'object',
        required: ['id'],
        properties: { id: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
      },
    }))
    await using model = await startStubAnthropic([
      { calls: [{ name: 'find_tools', input: { query: 'cancel orders' } }] },
      {
        calls: [
          { name: 'shop__cancel_order', input: { id: 'A-1' } },
          { name: 'bank__cancel_order', input: { id: 'A-1' } },
        ],
      },
      { text: 'Cancelled.' },
    ])
    await using shop = await startShopOn(await sharedApp(), { model, tools })
    // The same name, outside the webhook's scope: neither found, nor counted, nor called.
    await shop.app.api('POST', '/api/v1/connectors', {
      type: 'http',
      name: 'Bank',
      baseUrl: shop.target.origin,
      authType: 'none',
      tools: tools.slice(42, 43),
    })
    const webhook = await shop.createWebhook({ connectorIds: [shop.connectorId] })
    const run = await shop.endedRun((await shop.ring(webhook)).runId)
    assert.equal(run.reply?.text, 'Cancelled.')
    // An MCP server writes its own descriptions.
    const found = run.steps[0]?.calls[0]?.result ?? ''
    assert.match(found, /^<<tools ([\w-]{12})>>\nshop__cancel_order: Something[\s\S]*\n<<end \1>>$/)
    assert.ok(!model.requests[0]?.body.includes('Bank'))
    assert.match(model.requests[2]?.body ?? '', /There is no tool bank__cancel_order/)
    const offered = model.requests.map(({ json }) => namesOf(json.tools))
    assert.deepEqual(offered[0], [])
    const alsoFound = tools.slice(0, 7).map(({ name }) => `shop__${name}`)
    assert.deepEqual(offered[1], [...alsoFound, 'shop__cancel_order'])
    assert.ok(model.requests[1]?.body.includes(JSON.stringify(tools[42]?.inputSchema)))
    assert.deepEqual(
      shop.target.seen.map(({ url }) => url),
      ['/42/A-1'],
    )
  },
)
