import assert from 'node:assert/strict'
import type { ModelRequest, Turn } from '../support/model-script.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { startStubGoogle } from '../support/stub-google.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

/** Everything that other systems were seen to strip, with keys in an order nobody would choose. */
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

for (const provider of ['anthropic', 'openai', 'google', 'openai-compatible'] as const) {
  verifies(
    ['models:wire-unchanged', 'models:providers'],
    `${provider}: schema, event and tool answer arrive exactly as they were given`,
    async () => {
      await using anthropic = await startStubAnthropic(script)
      await using openai = await startStubOpenai(script)
      await using google = await startStubGoogle(script)
      const { requests, env } = {
        anthropic,
        openai,
        google,
        'openai-compatible': { ...openai, env: openai.compatibleEnv },
      }[provider]
      await using shop = await startShop({
        env,
        tools,
        answer: (_request, response) => response.setHeader('content-type', 'application/json').end(answer),
      })
      const run = await shop.endedRun((await shop.ring(await shop.createWebhook(), event)).runId)
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

/** Every text in the request, wherever the provider has its place for it. */
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

verifies('models:no-other-calls', 'nothing but the steps of a run asks the model', async () => {
  await using model = await startStubAnthropic([{ text: 'One.' }])
  await using shop = await startShop({ env: model.env })
  await shop.app.get('/api/v1/settings')
  await shop.app.get('/readyz')
  const run = await shop.endedRun((await shop.ring(await shop.createWebhook())).runId)
  assert.equal(model.requests.length, run.steps.length)
})

verifies(
  'models:providers',
  'OpenAI is given the whole conversation with each step and asked to keep none of it',
  async () => {
    await using model = await startStubOpenai(script)
    await using shop = await startShop({ env: model.env, tools })
    await shop.endedRun((await shop.ring(await shop.createWebhook())).runId)
    const second = model.requests[1]?.json as { store: boolean; input: { type?: string }[] } // OpenAI's wire format
    assert.equal(second.store, false)
    assert.ok(second.input.some(({ type }) => type === 'function_call'))
    assert.ok(!second.input.some(({ type }) => type === 'item_reference'))
  },
)
