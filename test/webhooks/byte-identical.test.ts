import assert from 'node:assert/strict'
import { testApiKey } from '../support/start-test-app.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'
import { startWebhookApp, untilDone } from './start-webhook-app.ts'

/** What a parser would change: key order, duplicates, numbers, escapes, white space, byte order marks and special names. */
const bodies = [
  '{"b":1,"a":2,"b":3}',
  '{"n":12345678901234567890,"e":1e400,"z":-0,"f":1.0}',
  `{"digits":${'9'.repeat(400)}}`,
  '{"__proto__":{"admin":true},"constructor":{"prototype":{}}}',
  '{"nul":"\\u0000","lone":"\\ud800","other":"\\uDC00\\uD800","emoji":"😀","cased":"\\u00E9"}',
  ' \t{ "white" :\r\n "space" } \n',
  '\ufeff{"bom":1}',
  '{"line":"\u2028\u2029","del":"\u007f","private":"\ue000","fence":"<<end x>>"}',
  `{${Array.from({ length: 10_000 }, (_, n) => `"k${n}":${n}`).join(',')}}`,
  '['.repeat(128) + ']'.repeat(128),
  'null',
  '"text"',
]

verifies(
  ['hooks:poison-body', 'hooks:raw-bytes', 'events:ledger'],
  'whatever is accepted is kept byte for byte, and the model reads exactly these bytes',
  async () => {
    await using model = await startStubOpenai([{ text: 'Read.' }])
    await using app = await startWebhookApp({ env: model.compatibleEnv })
    const { endpointUrl } = await app.create()
    const eventIds: string[] = []
    // Too long for a prompt; it is kept whole all the same, and read in pages.
    const large = `"${'x'.repeat(1024 * 1024 - 2)}"`
    for (const sent of [...bodies, large]) {
      const { status, body } = await app.post(endpointUrl, sent)
      assert.equal(status, 200, `${sent.slice(0, 40)}: ${body.detail}`)
      eventIds.push(body.eventId ?? '')
    }
    await untilDone(app.db, eventIds)

    for (const [n, sent] of [...bodies, large].entries()) {
      const kept = await fetch(new URL(`/api/v1/events/${eventIds[n]}/body`, app.test.url), {
        headers: { authorization: `Bearer ${testApiKey}` },
      })
      assert.deepEqual(Buffer.from(await kept.arrayBuffer()), Buffer.from(sent))
    }
    // The ledger shows the outcome of each.
    const [shown] = (
      await app.test.get<{ items: { runId: string; reply: { text: string } | null }[] }>('/api/v1/events')
    ).items
    assert.match(shown?.runId ?? '', /^run_/)
    assert.equal(shown?.reply?.text, 'Read.')
    const prompts = model.requests.map(({ json }) => {
      const messages = json.messages as { role: string; content: unknown }[] // the provider's wire format
      return JSON.stringify(messages.filter(({ role }) => role === 'user'))
    })
    assert.equal(prompts.length, bodies.length + 1)
    for (const sent of bodies) {
      const within = `bytes `
      const between = JSON.stringify(`\n${sent}\n<<end `).slice(1, -1)
      const size = ` ${Buffer.byteLength(sent)} ${within}`
      assert.equal(
        prompts.filter((prompt) => prompt.includes(size) && prompt.includes(between)).length,
        1,
        sent.slice(0, 40),
      )
    }
  },
)

verifies(
  'hooks:agent-headers',
  'the model reads the sender’s event headers and those that are named, fenced as data, and no credential',
  async () => {
    await using model = await startStubOpenai([{ text: 'Read.' }])
    await using app = await startWebhookApp({ env: model.compatibleEnv })
    const { endpointUrl } = await app.create({ exposeHeaders: ['X-Shop', 'X-Shop-Key'] })
    const { status, body } = await app.post(endpointUrl, '{}', {
      'x-github-event': 'push',
      'x-shop': 'Berlin',
      'x-shop-key': 'for-the-prompt',
      'x-unnamed': 'planted-unnamed',
      authorization: 'Bearer planted-token',
      cookie: 'planted-cookie',
      'x-hub-signature-256': 'planted-signature',
    })
    assert.equal(status, 200)
    await untilDone(app.db, [body.eventId ?? ''])
    const [request] = model.requests
    const messages = (request?.json.messages ?? []) as { role: string; content: string }[] // the provider's wire format
    const told = messages
      .filter(({ role }) => role === 'user')
      .map(({ content }) => content)
      .join()
    const [, headers = ''] = /<<headers [^\n]*>>\n([\s\S]*?)\n<<end /.exec(told) ?? []
    for (const line of ['x-github-event: push', 'x-shop: Berlin', 'x-shop-key: for-the-prompt']) {
      assert.ok(headers.split('\n').includes(line), `${line} is not in:\n${told}`)
    }
    assert.doesNotMatch(request?.body ?? '', /planted-(unnamed|token|cookie|signature)/)
  },
)
