import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { shareInFile } from '../support/share-in-file.ts'
import { verifies } from '../support/verifies.ts'
import { startWebhookApp, type WebhookApp } from './start-webhook-app.ts'

const sharedApp = shareInFile(() => startWebhookApp({ quiet: true }))

type Page = { items: { id: string }[]; nextCursor: string | null; searchedBackTo?: string }

/** Every page until there is no further one. */
async function search(app: WebhookApp, query: string): Promise<Page[]> {
  const pages: Page[] = []
  let cursor = ''
  do {
    const page = await app.test.get<Page>(`/api/v1/events?${query}${cursor}`)
    pages.push(page)
    cursor = `&cursor=${page.nextCursor}`
  } while (pages.at(-1)?.nextCursor !== null)
  return pages
}

/** What was kept before, one a second, the number in its id and body. */
async function fill(app: WebhookApp, webhookId: string, events: number, bytesEach: number): Promise<void> {
  await sql`
    insert into events (id, source_id, run_id, status, received_at, sender_address, headers, verification, size_bytes, body)
    select 'evt_' || n.id, ${webhookId}, 'run_' || n.id, 'done', timestamptz '2026-01-01' + n.n * interval '1 s', '127.0.0.1', '{}',
           'off', ${bytesEach}::int, convert_to(rpad('{"n":"#' || n.n || '"}', ${bytesEach}::int), 'UTF8')
    from (select n, '00000000-0000-7000-8000-' || lpad(n::text, 12, '0') as id from generate_series(1, ${events}::int) n) n`.execute(
    app.db,
  )
}

const idsOf = (pages: Page[]) => pages.flatMap(({ items }) => items.map(({ id }) => Number(id.slice(-12))))

verifies(
  'events:search',
  'the oldest of 50,001 events is found by its text, in steps that each say how far back they searched',
  async () => {
    await using app = await startWebhookApp({ quiet: true })
    const { id } = await app.create()
    await fill(app, id, 50_001, 20)
    const pages = await search(app, 'text=%231%22')
    assert.deepEqual(idsOf(pages), [1])
    assert.deepEqual(
      pages.map(({ searchedBackTo }) => searchedBackTo),
      ['2026-01-01T08:20:02.000Z', '2026-01-01T02:46:42.000Z', undefined],
    )
    // Pages that are full go on after their last event, and nothing is skipped or met twice.
    const full = await search(app, 'text=%2325&limit=100')
    assert.ok(full.some(({ items }) => items.length === 100))
    assert.deepEqual(
      idsOf(full),
      Array.from({ length: 50_001 }, (_, n) => 50_001 - n).filter((n) => String(n).startsWith('25')),
    )
    assert.deepEqual(idsOf(await search(app, `text=%2377%22&webhookId=${id}&status=done`)), [77])
    assert.deepEqual(idsOf(await search(app, 'text=%2377%22&to=2026-01-01T00:01:00Z')), [])
  },
)

verifies('events:search', 'one step reads no more of large bodies than it can read quickly', async () => {
  await using app = await startWebhookApp({ quiet: true })
  const { id } = await app.create()
  await fill(app, id, 40, 1024 * 1024)
  const pages = await search(app, 'text=%231%22')
  assert.deepEqual(idsOf(pages), [1])
  assert.equal(pages.length, 2)
})

verifies(
  'events:search',
  'text is found as written, escaped or not, and a delivery id only in full',
  async () => {
    const app = await sharedApp()
    const { endpointUrl } = await app.create()
    for (const [n, body] of [
      '{"a":"Grüße an \\"alle\\""}',
      '{"a":"Gr\\u00fc\\u00dfe"}',
      '{"a":"Gr\\u00FC\\u00DFe"}',
    ].entries()) {
      await app.post(endpointUrl, body, { 'webhook-id': `delivery-${n}` })
    }
    const count = async (text: string) =>
      (await search(app, `text=${encodeURIComponent(text)}`)).flatMap(({ items }) => items).length
    assert.equal(await count('Grüße'), 3)
    assert.equal(await count('an "alle"'), 1)
    assert.equal(await count('delivery-1'), 1)
    assert.equal(await count('delivery'), 0)
    assert.equal(await count("%' or true --"), 0)
  },
)

verifies('events:search', 'the JSON in a form is searched as it reads, not as it was encoded', async () => {
  const app = await sharedApp()
  const { endpointUrl } = await app.create({ verification: { preset: 'github', secrets: ['s'] } })
  const form = new URLSearchParams({ payload: '{"title":"fix login, für Zoë"}' }).toString()
  const { status } = await app.post(endpointUrl, form, {
    'content-type': 'application/x-www-form-urlencoded',
    'x-hub-signature-256': `sha256=${createHmac('sha256', 's').update(form).digest('hex')}`,
  })
  assert.equal(status, 200)
  for (const text of ['fix login', 'für Zoë']) {
    assert.equal((await app.events(`?text=${encodeURIComponent(text)}`)).length, 1, text)
  }
})
