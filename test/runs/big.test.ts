import assert from 'node:assert/strict'
import type { Page } from '../../src/runs/prompt/paging/cut-page.ts'
import { readPage } from '../../src/runs/prompt/paging/read-page.ts'
import { type ModelRequest, namesOf, textsOf } from '../support/model-script.ts'
import { fc } from '../support/property.ts'
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
    const run = await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
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
    const first = await shop.endedRun((await shop.sendEvent(webhook)).runId)
    source = first.toolCalls[0]?.id ?? ''
    assert.match(source, /^call_/)
    await shop.endedRun((await shop.sendEvent(webhook)).runId)
    const told = textsOf(model.requests.at(-1)?.json.messages).at(-1) ?? ''
    assert.match(told, /There is no source call_/)
    assert.doesNotMatch(told, /"ok":true/)
  },
)

verifies(
  ['runs:big-bodies', 'runs:full-pages'],
  'small answers of a step are whole, the long ones share half of the room that is left, and one may take a quarter of the window',
  async () => {
    const long = 'x'.repeat(400_000)
    await using model = await startStubAnthropic(({ body }) => {
      if (body.includes('tool_result')) return { text: 'Read.' }
      const ids =
        /many|mixed/.exec(body)?.[0] === 'many' ? ['A-1', 'A-2', 'A-3', 'A-4', 'A-5', 'A-6'] : ['A-1']
      const small = body.includes('mixed, please') ? ['S-1', 'S-2', 'S-3', 'S-4', 'S-5', 'S-6'] : []
      return { calls: [...small, ...ids].map((id) => ({ name: 'shop__get_order', input: { id } })) }
    })
    await using shop = await startShopOn(await sharedApp(), {
      model,
      answer: ({ url }, response) =>
        response.setHeader('content-type', 'text/plain').end(url.includes('S-') ? 'small' : long),
    })
    const webhook = await shop.createWebhook()
    const shownFor = async (event: string) => {
      await shop.endedRun((await shop.sendEvent(webhook, { event })).runId)
      return textsOf(model.requests.at(-1)?.json.messages).map(
        (text) => text.match(/x{9,}/g)?.join('').length ?? 0,
      )
    }
    // Claude has a window of 200,000 tokens, and a token counts as three bytes.
    for (const event of ['one, please', 'mixed, please']) {
      const ofOne = Math.max(...(await shownFor(event)))
      assert.ok(ofOne > 149_800 && ofOne <= 150_000, `${event}: ${ofOne}`)
    }
    const ofMany = (await shownFor('many, please')).filter((length) => length > 100)
    assert.equal(ofMany.length, 6)
    const sum = ofMany.reduce((total, length) => total + length, 0)
    assert.ok(sum > 290_000 && sum <= 300_000, `${sum}`)
  },
)

verifies(
  'runs:read-more',
  'read_more goes on as its note says until the last page, reads the end, and finds words with their surroundings',
  async () => {
    const line = (n: number) => ({ n, level: n === 7000 ? 'ERROR' : 'info', text: `line ${n} of the log` })
    const whole = JSON.stringify({ service: 'api', entries: Array.from({ length: 8000 }, (_, n) => line(n)) })
    const plain = `begin\n${'.'.repeat(120_000)}here it Failed${'.'.repeat(120_000)}\nend`
    const asked: Record<string, unknown>[] = []
    let source = ''
    await using model = await startStubAnthropic(({ json }, index) => {
      const told = textsOf(json.messages).join('\n')
      if (index === 0)
        return { calls: ['json', 'text'].map((id) => ({ name: 'shop__get_order', input: { id } })) }
      const [ofJson, ofText] = Array.from(told.matchAll(/source "(call_[^"]+)"/g), ([, id]) => id ?? '')
      if (index > 1) {
        const next = /Go on with read_more (\{.*?\})\./.exec(told.split('<<part of').at(-1) ?? '')?.[1]
        return next
          ? { calls: [{ name: 'read_more', input: JSON.parse(next) as object }] }
          : { text: 'Read.' }
      }
      source = ofJson ?? ''
      asked.push(
        { source, contains: 'error' },
        { source, pointer: '/entries', from: -2 },
        { source: ofText, contains: 'failed' },
        { source: ofText, from: -4 },
        { source, pointer: '/entries', from: 6500 },
      )
      return { calls: asked.map((input) => ({ name: 'read_more', input })) }
    })
    await using shop = await startShopOn(await sharedApp(), {
      model: { env: { ...model.env, MODEL_NAME: 'small' } },
      answer: ({ url }, response) =>
        response
          .setHeader('content-type', url.includes('json') ? 'application/json' : 'text/plain')
          .end(url.includes('json') ? whole : plain),
    })
    const run = await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
    assert.equal(run.reply?.text, 'Read.')
    const [shownText = ''] =
      run.steps[0]?.calls.flatMap(({ result }) => (result?.includes('begin') ? [result] : [])) ?? []
    assert.match(shownText, /begin\n\.+\n… \[\d+ characters left out: read_more from \d+\] …\n\.+\nend\n/)

    const [found, last, inText, end, page] = run.steps[1]?.calls.map(({ result }) => result ?? '') ?? []
    const bodyOf = (result = '') => JSON.parse(result.split('\n')[1] ?? '') as unknown
    assert.deepEqual(bodyOf(found), [{ pointer: '/entries/7000', value: line(7000) }])
    assert.deepEqual(bodyOf(last), [line(7998), line(7999)])
    assert.match(
      last ?? '',
      /pointer "\/entries": items 7998 to 7999 of 8000 \(the first is 0\)\. This is the last page\.$/,
    )
    assert.partialDeepStrictEqual(bodyOf(inText), [{ from: plain.indexOf('Failed') - 200 }])
    assert.match(inText ?? '', /\.{9}here it Failed\.{9}/)
    assert.match(end ?? '', /\n\nend\n<<end .*\n.*characters \d+ to \d+ of \d+ .* This is the last page\.$/)
    const next = /Go on with read_more (\{.*?\})\./.exec(page ?? '')?.[1] ?? '{}'
    assert.partialDeepStrictEqual(JSON.parse(next), { source, pointer: '/entries' })
    // The model of this test sends what the note says, page after page.
    const pages = [page, ...run.steps.slice(2, -1).map(({ calls }) => calls[0]?.result ?? '')]
    assert.ok(pages.length > 2, `${pages.length}`)
    assert.deepEqual(
      pages.flatMap((text) => (bodyOf(text) as { n: number }[]).map(({ n }) => n)),
      Array.from({ length: 1500 }, (_, n) => 6500 + n),
    )
    assert.match(pages.at(-1) ?? '', /items \d+ to 7999 of 8000 .* This is the last page\./)
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
    const run = await shop.endedRun((await shop.sendEvent(await shop.createWebhook(), event)).runId)
    const lettersIn = (request: ModelRequest | undefined, letter: string) =>
      textsOf(request?.json.messages).join('').split(letter).length - 1
    // Half of a window of 32,000 tokens, and a quarter of it.
    const [opening, answered] = model.requests
    assert.ok(lettersIn(opening, '问') > 15_000 && lettersIn(opening, '问') <= 16_000)
    assert.ok(lettersIn(answered, '答') > 7000 && lettersIn(answered, '答') <= 8000)

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
    const run = await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
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
        assert.ok(page.text.length <= 2000, `${page.text.length}`)
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
  'runs:full-pages',
  'a page of any text or JSON document that does not fit uses at least nine tenths of its room, and never more than all of it',
  async () => {
    const texts = fc.oneof(
      fc.string({ maxLength: 40, unit: 'grapheme' }),
      fc.nat(200).map((times) => 'word “ü” \n😀 '.repeat(times)),
    )
    const keys = fc.string({ maxLength: 20 })
    const nest = (inner: fc.Arbitrary<unknown>) =>
      fc.oneof(inner, fc.array(inner, { maxLength: 9 }), fc.dictionary(keys, inner, { maxKeys: 9 }))
    const values = nest(nest(nest(fc.oneof(texts, fc.double({ noNaN: true })))))
    const documents = fc.oneof(
      fc.array(values, { maxLength: 40, size: 'large' }).map((value) => JSON.stringify(value)),
      fc.dictionary(keys, values, { maxKeys: 12, size: 'large' }).map((value) => JSON.stringify(value)),
      fc.array(texts, { minLength: 20, maxLength: 60 }).map((parts) => `log: ${parts.join(' ')}`),
    )
    let cut = 0
    await fc.assert(
      fc.asyncProperty(documents, fc.constantFrom(4000, 8000, 24_000), async (text, room) => {
        const page = await readPage(text, { maxBytes: room })
        const used = Buffer.byteLength(page.text)
        assert.ok(used <= room, `${used} bytes`)
        if (page.whole) return
        cut++
        assert.ok(used >= room * 0.9, `${used} bytes of ${room}: ${page.text.slice(0, 300)}`)
        if (!text.startsWith('log')) JSON.parse(page.text)
        assert.ok(page.text.isWellFormed())
      }),
      { numRuns: 50, endOnFailure: true },
    )
    assert.ok(cut > 25, `${cut}`)
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
    const run = await shop.endedRun((await shop.sendEvent(webhook)).runId)
    assert.equal(run.reply?.text, 'Cancelled.')
    // An MCP server writes its own descriptions.
    const found = run.steps[0]?.calls[0]?.result ?? ''
    assert.match(found, /^<<tools ([\w-]{12})>>\nshop__cancel_order: Something[\s\S]*\n<<end \1>>$/)
    assert.ok(!model.requests[0]?.body.includes('Bank'))
    assert.match(model.requests[2]?.body ?? '', /There is no tool bank__cancel_order/)
    const offered = model.requests.map(({ json }) => namesOf(json.tools))
    assert.deepEqual(offered[0], [])
    const alsoFound = tools.slice(0, 7).map(({ name }) => `shop__${name}`)
    // In the order in which they were found, the best first.
    assert.deepEqual(offered[1], ['shop__cancel_order', ...alsoFound])
    assert.ok(model.requests[1]?.body.includes(JSON.stringify(tools[42]?.inputSchema)))
    assert.deepEqual(
      shop.target.seen.map(({ url }) => url),
      ['/42/A-1'],
    )
  },
)
