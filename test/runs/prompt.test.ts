import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { PromptPart } from '../../src/runs/contract.ts'
import { join } from '../accounts/visitor.ts'
import { namesOf, textsOf } from '../support/model-script.ts'
import { sayAs } from '../support/say-as.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

verifies(
  'runs:prompt-shown',
  'operators read what the model was sent at the first step, part by part and with sizes, until the event is erased',
  async () => {
    await using model = await startStubAnthropic([
      { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] },
      { text: 'It is paid.' },
      { text: 'Yesterday.' },
    ])
    await using shop = await startShopOn(await sharedApp(), { model })
    const promptOf = async (id: string) => {
      const { parts } = await shop.app.get<{ parts: PromptPart[] }>(`/api/v1/runs/${id}/prompt`)
      for (const { text, bytes, tokens } of parts) {
        assert.deepEqual([bytes, tokens], [Buffer.byteLength(text), Math.ceil(Buffer.byteLength(text) / 4)])
      }
      return Object.fromEntries(parts.map(({ name, text }) => [name, text]))
    }
    const { runId, eventId } = await shop.sendEvent(await shop.createWebhook(), { größe: 'XL' })
    const run = await shop.endedRun(runId)
    const first = await promptOf(runId)
    const sent = model.requests[0]?.json
    assert.deepEqual(Object.keys(first), ['system', 'tools', 'history', 'turn', 'event'])
    assert.deepEqual(textsOf([{ content: sent?.system }]), [first.system])
    assert.deepEqual(textsOf(sent?.messages), [`${first.turn}\n\n${first.event}`])
    assert.ok(first.turn?.endsWith(run.turnNote ?? '-'))
    assert.match(
      first.event ?? '',
      /\n<<body application\/json 16 bytes \S+>>\n\{"größe":"XL"\}\n<<end \S+>>$/,
    )
    assert.equal(first.history, '')
    // The documentation has the whole text, with its reasons.
    const [rules] =
      first.system?.replace(/the channel "[^"]+"/, 'the channel "orders"').split('\n\nInstructions of') ?? []
    assert.ok((await readFile('docs/models.md', 'utf8')).includes(`\n${rules}\n`), rules)
    const tools = first.tools
      ?.split('\n')
      .map((line) => JSON.parse(line) as { name: string; inputSchema: unknown })
    assert.deepEqual(namesOf(tools), namesOf(sent?.tools))

    const member = await join(shop.app, 'member')
    await sayAs(shop, member, '@bellhop since when?', run.reply?.messageId ?? '')
    await until(async () => (await shop.replies()).length === 2)
    const followUp = (await shop.replies()).find(({ text }) => text === 'Yesterday.')
    const second = await promptOf(followUp?.runId ?? '')
    assert.deepEqual(Object.keys(second), ['system', 'tools', 'event', 'history', 'turn', 'request'])
    assert.ok(second.event?.includes('"größe"'))
    assert.match(
      second.history ?? '',
      /── assistant ──\ncalls shop__get_order \{"id":"A-1"\}\n\n── tool ──\nHTTP 200/,
    )
    assert.match(second.history ?? '', /── assistant ──\nIt is paid\.$/)
    assert.match(
      second.request ?? '',
      /^<<request of The member \(member\) \S+>>\n@bellhop since when\?\n<<end \S+>>$/,
    )

    assert.equal((await member.visitor.send('GET', `/runs/${runId}/prompt`)).status, 403)
    await shop.app.api('DELETE', `/api/v1/events/${eventId}`)
    const gone = await shop.app.api<{ type: string }>('GET', `/api/v1/runs/${runId}/prompt`)
    assert.deepEqual([gone.status, gone.body.type], [410, 'body-erased'])
  },
)

verifies(
  'runs:lean-prompt',
  'the first request is as long as the documentation says, with 4, 40 and 400 tools',
  async () => {
    await using model = await startStubAnthropic([{ text: 'Seen.' }])
    await using shop = await startShopOn(await sharedApp(), { model })
    const connectorIds: string[] = []
    const measured: number[] = []
    for (const [name, count] of [
      ['Tickets', 4],
      ['Billing', 36],
      ['Everything', 360],
    ] as const) {
      const tools = Array.from({ length: count }, (_, n) => ({
        name: `update_record_${n}`,
        description: `Changes the record of kind ${n}: its title, its owner and its state. Answers with the record as it is afterwards.`,
        method: 'PATCH',
        path: `/records/${n}/{record_id}`,
        capability: 'write',
        inputSchema: {
          type: 'object',
          properties: {
            record_id: { type: 'string', description: 'The id of the record' },
            title: { type: 'string', maxLength: 200 },
            owner: { type: 'string', description: 'The e-mail address of the new owner' },
            state: { type: 'string', enum: ['open', 'waiting', 'closed'] },
          },
          required: ['record_id'],
          additionalProperties: false,
        },
      }))
      const made = await shop.app.api<{ id: string }>('POST', '/api/v1/connectors', {
        type: 'http',
        name,
        baseUrl: shop.target.origin,
        authType: 'none',
        tools,
      })
      assert.equal(made.status, 201, made.text)
      connectorIds.push(made.body.id)
      await shop.endedRun((await shop.sendEvent(await shop.createWebhook({ connectorIds }))).runId)
      measured.push(Buffer.byteLength(model.requests.at(-1)?.body ?? ''))
    }
    const docs = await readFile('docs/models.md', 'utf8')
    const told = [...docs.matchAll(/^\| (\d+) \| (?:all|none)[^|]*\| ([\d,]+) \|/gm)].map(
      ([, count, bytes]) => ({
        count: Number(count),
        bytes: Number(bytes?.replaceAll(',', '')),
      }),
    )
    assert.deepEqual(
      told.map(({ count }) => count),
      [4, 40, 400],
    )
    for (const [at, bytes] of measured.entries()) {
      const expected = told[at]?.bytes ?? 0
      assert.ok(
        Math.abs(bytes - expected) <= expected * 0.02,
        `docs/models.md should say ${measured.join(', ')}`,
      )
    }
  },
)
