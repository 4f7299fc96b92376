import assert from 'node:assert/strict'
import { type ModelRequest, type Turn, textsOf } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShop, startShopOn } from '../support/start-shop.ts'
import { providers, startStubModel } from '../support/start-stub-model.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

/** Everything that some systems strip, with keys in an unusual order. */
const schema =
  '{"required":["id"],"type":"object","$defs":{"node":{"properties":{"next":{"$ref":"#/$defs/node"},"v":{"type":["string","null"]}},"type":"object"}},' +
  '"properties":{"id":{"type":"string"},"kind":{"enum":["b","a",null]},"when":{"anyOf":[{"type":"string","format":"date"},{"type":"integer"}]},' +
  '"tree":{"$ref":"#/$defs/node"},"pair":{"type":"array","prefixItems":[{"const":1},{"type":"string"}]}},"additionalProperties":false,"x-own":{"z":1,"a":2}}'
const event = '{"z":1, "a":12345678901234567890,  "nested":{"b":0.10000000000000000555,"a":[]}, "a":2}'
const answer = '{ "total": 98765432109876543210, "list":[1,2 ] }\n'

const script: Turn[] = [{ calls: [{ name: 'shop__look', input: { id: 'A-1' } }] }, { text: 'Seen.' }]

const tools = [
  {
    name: 'look',
    description: 'Looks',
    method: 'GET',
    path: '/look/{id}',
    capability: 'read',
    inputSchema: JSON.parse(schema),
  },
]

for (const provider of providers) {
  verifies(
    ['models:wire-unchanged', 'models:providers'],
    `${provider}: schema, event and tool answer arrive exactly as they were given`,
    async () => {
      await using model = await startStubModel(provider, script)
      const { requests } = model
      await using shop = await startShopOn(await sharedApp(), {
        model,
        tools,
        answer: (_request, response) => response.setHeader('content-type', 'application/json').end(answer),
      })
      const run = await shop.endedRun((await shop.sendEvent(await shop.createWebhook(), event)).runId)
      assert.deepEqual([run.status, run.reply?.text], ['succeeded', 'Seen.'])
      const [first, second] = requests
      assert.ok(first?.body.includes(schema), 'the schema, byte for byte')
      assert.ok(
        allTexts(first).some((text) => text.includes(`\n${event}\n`)),
        'the event, byte for byte',
      )
      assert.ok(
        allTexts(second).some((text) => text.includes(`\n${answer}\n`)),
        'the answer, byte for byte',
      )
      assert.equal(keyOf(first), 'planted-model-key')
    },
  )
}

/** What JavaScript would round, spell differently, or take for infinite. */
const numbers =
  '{"n":12345678901234567890,"price":1.0,"far":1e400,"more":{"list":[0.10000000000000000555,-0,7]}}'
const numberTools = [
  {
    name: 'pay',
    description: 'Pays',
    method: 'POST',
    path: '/pay/{n}?at={far}',
    capability: 'write',
    inputSchema: {
      type: 'object',
      properties: {
        n: { type: 'integer', minimum: 5 },
        price: { type: 'integer' },
        far: { type: 'number' },
        more: { type: 'object', properties: { list: { type: 'array', items: { type: 'number' } } } },
      },
      required: ['n', 'price', 'far'],
    },
  },
  {
    name: 'look',
    description: 'Looks',
    method: 'GET',
    path: '/look',
    capability: 'read',
    locations: { more: { in: 'query', style: 'brackets' } },
    inputSchema: { type: 'object', additionalProperties: true },
  },
]

for (const provider of providers) {
  verifies(
    ['models:wire-unchanged', 'models:exact-numbers'],
    `${provider}: the numbers of a tool's input are validated, shown, recorded, sent and repeated as the model wrote them`,
    async () => {
      await using model = await startStubModel(provider, [
        {
          calls: [
            { name: 'shop__pay', input: numbers },
            { name: 'shop__look', input: numbers },
          ],
        },
        { text: 'Paid.' },
      ])
      await using shop = await startShopOn(await sharedApp(), { model, tools: numberTools })
      const { runId } = await shop.sendEvent(await shop.createWebhook())
      await shop.runWhen(runId, ({ status }) => status === 'waiting')
      const { items } = await shop.app.get<{ items: Approval[] }>('/api/v1/approvals?status=pending')
      const path = '/pay/12345678901234567890?at=1e400'
      const body = '{"price":1.0,"more":{"list":[0.10000000000000000555,-0,7]}}'
      assert.equal(items[0]?.request.body, body)
      assert.ok(items[0]?.request.url.endsWith(path))
      assert.equal((await shop.app.api('POST', `/api/v1/approvals/${items[0]?.id}/approve`, {})).status, 200)
      await shop.endedRun(runId)

      const [look, pay] = shop.target.seen
      assert.deepEqual([pay?.url, pay?.body], [path, body])
      const list = 'more%5Blist%5D%5B%5D='
      assert.equal(
        look?.url,
        `/look?n=12345678901234567890&price=1.0&far=1e400&${list}0.10000000000000000555&${list}-0&${list}7`,
      )
      const told = model.requests[1]?.body ?? ''
      assert.ok(
        told.includes(numbers) || told.includes(JSON.stringify(numbers)),
        'the model sees what it wrote',
      )
      const shown = (await shop.app.api('GET', `/api/v1/runs/${runId}`)).text
      assert.equal(shown.split(`"input":${numbers}`).length, 5, 'twice in the steps, twice in the calls')
    },
  )
}

verifies(
  'http-tools:answer-unchanged',
  'headers that say where to continue and when to retry reach the agent too, between fences',
  async () => {
    await using model = await startStubAnthropic(script)
    await using shop = await startShopOn(await sharedApp(), {
      model,
      tools,
      answer: (_request, response) => {
        const link = '<https://api.example.com/look?page=2>; rel="next"'
        response
          .writeHead(201, { location: '/look/7', link, 'retry-after': '30', 'x-internal': 'not told' })
          .end()
      },
    })
    await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
    const told = textsOf(model.requests[1]?.json.messages).at(-1) ?? ''
    assert.match(
      told,
      /^HTTP 201\n<<answer of shop__look (\S+)>>\n\n<<end \1>>\n<<headers of shop__look \1>>\nLocation: \/look\/7\nLink: <https:\/\/api\.example\.com\/look\?page=2>; rel="next"\nRetry-After: 30\n<<end \1>>$/,
    )
    assert.ok(!told.includes('not told'))
  },
)

verifies(
  'models:wire-unchanged',
  'reasoning before a call is sent back with its signature, redacted or encrypted as it came',
  async () => {
    const thoughts = [
      { type: 'thinking', thinking: 'Look first.', signature: 'c2lnbmF0dXJl+/=' },
      { type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' },
    ]
    const use = { type: 'tool_use', id: 'toolu_1', name: 'shop__look', input: { id: 'A-1' } }
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [...thoughts, use],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    }
    await using anthropic = await startStubAnthropic([{ body: JSON.stringify(message) }, { text: 'Seen.' }])
    await using one = await startShopOn(await sharedApp(), { model: anthropic, tools })
    assert.equal(
      (await one.endedRun((await one.sendEvent(await one.createWebhook())).runId)).reply?.text,
      'Seen.',
    )
    const sent = anthropic.requests[1]?.json as { messages: { content: unknown[] }[] } | undefined // Anthropic's wire format
    assert.deepEqual(sent?.messages.at(-2)?.content.slice(0, 2), thoughts)

    const reasoning = { type: 'reasoning', id: 'rs_1', encrypted_content: 'ZW5jcnlwdGVk', summary: [] }
    const call = {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'call_1',
      status: 'completed',
      name: 'shop__look',
      arguments: '{"id":"A-1"}',
    }
    const response = {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'gpt-5-mini',
      output: [reasoning, call],
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    }
    await using openai = await startStubOpenai([{ body: JSON.stringify(response) }, { text: 'Seen.' }])
    await using other = await startShop({ env: openai.env, tools })
    const run = await other.endedRun((await other.sendEvent(await other.createWebhook())).runId)
    assert.equal(run.reply?.text, 'Seen.')
    const [first, second] = openai.requests.map(({ json }) => json as { include?: string[]; input: object[] }) // OpenAI's
    assert.ok(first?.include?.includes('reasoning.encrypted_content'), 'asked for, since nothing is stored')
    assert.partialDeepStrictEqual(
      second?.input.filter((item) => 'type' in item && item.type === 'reasoning'),
      [{ encrypted_content: 'ZW5jcnlwdGVk' }],
    )
  },
)

verifies(
  'models:exact-numbers',
  'a number in the input of a built-in tool may be written in any form',
  async () => {
    await using model = await startStubAnthropic([
      { calls: [{ name: 'read_more', input: '{"source":"event","from":1.0}' }] },
      { text: 'Read.' },
    ])
    await using shop = await startShopOn(await sharedApp(), { model })
    const run = await shop.endedRun((await shop.sendEvent(await shop.createWebhook(), '{"a":1,"b":2}')).runId)
    assert.match(run.steps[0]?.calls[0]?.result ?? '', /"b":2/)
  },
)

verifies('models:exact-numbers', 'the offline agent fills in long numbers as they came', async () => {
  await using shop = await startShopOn(await sharedApp(), {
    tools: numberTools.slice(1).map(asNeedy),
    answer: (_request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', link: '</look?page=2>' })
        .end('{"seen":42}'),
  })
  const { runId } = await shop.sendEvent(await shop.createWebhook(), '{"n":12345678901234567890}')
  assert.match(
    (await shop.endedRun(runId)).reply?.text ?? '',
    /shop__look\*\* → HTTP 200 application\/json\n- seen: 42/,
  )
  assert.equal(shop.target.seen[0]?.url, '/look?n=12345678901234567890')
})

function asNeedy<T extends object>(tool: T) {
  return { ...tool, inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } }
}

type Approval = { id: string; request: { url: string; body: string } }

/** Every text in the request, wherever the provider puts it. */
function allTexts(request: ModelRequest | undefined): string[] {
  const found: string[] = []
  JSON.parse(request?.body ?? '{}', (_key, value: unknown) => {
    if (typeof value === 'string') found.push(value)
    return value
  })
  return found
}

function keyOf(request: ModelRequest | undefined): string | undefined {
  const { authorization, 'x-api-key': anthropic, 'x-goog-api-key': google } = request?.headers ?? {}
  const key = anthropic ?? google
  return key === undefined ? authorization?.replace('Bearer ', '') : String(key)
}

verifies('models:no-other-calls', 'the model is called only for the steps of a run', async () => {
  await using model = await startStubAnthropic([{ text: 'One.' }])
  await using shop = await startShopOn(await sharedApp(), { model })
  const webhook = await shop.createWebhook()
  const run = await shop.endedRun((await shop.sendEvent(webhook)).runId)
  assert.equal(model.requests.length, run.steps.length)
  for (const path of ['/', '/healthz', '/readyz', '/metrics', '/api/openapi.json']) {
    assert.equal((await shop.app.api('GET', path)).status, 200, path)
  }
  for (const list of [
    'settings',
    'about',
    'stats',
    'runs',
    'events',
    'messages?q=one',
    'approvals',
    'audit',
  ]) {
    await shop.app.get(`/api/v1/${list}`)
  }
  for (const [path, body] of [
    [`connectors/${shop.connectorId}/test`, {}],
    ['connectors/import', { curl: 'curl https://api.example.com/orders' }],
    [`webhooks/${webhook.id}/reveal`, {}],
    [`channels/${shop.channelId}/messages`, { text: 'just among ourselves' }],
  ] as const) {
    const { status, text } = await shop.app.api('POST', `/api/v1/${path}`, body)
    assert.ok(status < 300, `${path}: ${text}`)
  }
  // The next model call comes from a later run.
  await shop.endedRun((await shop.sendEvent(webhook)).runId)
  assert.equal(model.requests.length, 2)
  await shop.app.api('POST', '/api/v1/settings/model/test', {})
  assert.equal(model.requests.length, 3)
})

verifies(
  'models:providers',
  'OpenAI gets the whole conversation with each step and is asked to store none of it',
  async () => {
    await using model = await startStubOpenai(script)
    await using shop = await startShopOn(await sharedApp(), { model, tools })
    await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
    const second = model.requests[1]?.json as { store: boolean; input: { type?: string }[] } // OpenAI's wire format
    assert.equal(second.store, false)
    assert.ok(second.input.some(({ type }) => type === 'function_call'))
    assert.ok(!second.input.some(({ type }) => type === 'item_reference'))
  },
)

verifies(
  'models:wire-unchanged',
  'only characters that a provider refuses are replaced, and the run continues',
  async () => {
    const refuses = ({ body }: ModelRequest) => body.includes('\\u0000')
    await using model = await startStubAnthropic((request, index) => {
      if (index === 0) return { calls: [{ name: 'shop__look', input: { id: 'A-1' } }] }
      return refuses(request) ? { status: 400, message: 'text must be printable' } : { text: 'Seen.' }
    })
    await using shop = await startShopOn(await sharedApp(), {
      model,
      tools,
      answer: (_request, response) => response.setHeader('content-type', 'text/plain').end('here\0there'),
    })
    const run = await shop.endedRun((await shop.sendEvent(await shop.createWebhook(), event)).runId)
    assert.deepEqual([run.status, run.reply?.text], ['succeeded', 'Seen.'])
    assert.deepEqual(model.requests.map(refuses), [false, true, false], 'as it is at first')
    assert.match(model.requests[2]?.body ?? '', /here\u2400there/)
  },
)
