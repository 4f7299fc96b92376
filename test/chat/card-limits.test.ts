import assert from 'node:assert/strict'
import { createCache } from '../../src/chat/cache.ts'
import type { Card } from '../../src/chat/chat.ts'
import type { Connection } from '../../src/chat/platforms/connection.ts'
import { openDiscord } from '../../src/chat/platforms/discord/discord-platform.ts'
import { openMattermost } from '../../src/chat/platforms/mattermost/mattermost-platform.ts'
import type { Platform } from '../../src/chat/platforms/platform.ts'
import { openSlack } from '../../src/chat/platforms/slack/slack-platform.ts'
import { openTelegram } from '../../src/chat/platforms/telegram/telegram-platform.ts'
import { Secret } from '../../src/platform/secret.ts'
import { newId } from '../../src/shared/ids.ts'
import { startTarget } from '../support/start-target.ts'
import { verifies } from '../support/verifies.ts'

const cardOf = (request: string): Card => ({
  kind: 'approval',
  approvalId: newId('approval'),
  title: `Ada denied shop__refund: ${'&'.repeat(2000)}`,
  lines: [
    { label: 'Tool', value: 'shop__refund (write)' },
    { label: 'Asked by', value: `webhook ${'&<'.repeat(50)}` },
    { label: 'Details', value: `https://bellhop.example.com/approvals/${'x'.repeat(40)}` },
  ],
  request,
  state: 'pending',
  confirm: false,
})

/** The lengths that a platform limits. */
const limits: Record<
  string,
  { open(connection: Connection): Platform; measure(sent: Sent): number; most: number }
> = {
  slack: {
    open: openSlack,
    measure: ({ blocks = [] }) => Math.max(...blocks.map(({ text }) => text?.text.length ?? 0)),
    most: 3000,
  },
  // After parsing the markup.
  telegram: {
    open: openTelegram,
    measure: ({ text = '' }) => text.replaceAll(/<\/?\w+>/g, '').replaceAll(/&\w+;/g, '&').length,
    most: 4096,
  },
  discord: { open: openDiscord, measure: ({ content = '' }) => content.length, most: 2000 },
}
type Sent = {
  text?: string
  content?: string
  blocks?: { text?: { text: string }; expand?: boolean }[]
  props?: { attachments: { text: string }[] }
}

/** JSON, or Slack's form with JSON in it. */
function readSent(body: string): Sent {
  // What the platform's own client sends.
  if (body.startsWith('{')) return JSON.parse(body) as Sent
  const form = new URLSearchParams(body)
  return { text: form.get('text') ?? '', blocks: JSON.parse(form.get('blocks') ?? '[]') as Sent['blocks'] }
}

/** The request that sends a card to a platform. */
async function collect(open: (connection: Connection) => Platform, card: Card): Promise<Sent[]> {
  const sent: Sent[] = []
  await using target = await startTarget((request, response) => {
    // For Slack, joining the channel comes first.
    if (!request.url.endsWith('conversations.join')) sent.push(readSent(request.body))
    response.setHeader('content-type', 'application/json')
    response.end('{"ok":true,"ts":"1.2","id":"1","result":{"message_id":1}}')
  })
  const platform = open({
    credentials: { botToken: new Secret('token') },
    settings: { apiUrl: `${target.origin}/` },
    fetch,
    cache: createCache(),
    publicUrl: 'https://bellhop.example.com',
    eventsUrl: 'https://bellhop.example.com/chat',
  })
  await platform.send({
    channel: 'C1',
    thread: null,
    text: card.title,
    card,
    mentions: [],
    isRated: false,
    cancels: null,
    file: null,
    key: 'k',
  })
  return sent
}

verifies(
  ['chat:cards', 'approvals:shows-request', 'approvals:card-says-why'],
  'a card stays within the limit of its platform, whatever is in the request, and says so where it does not show all of it',
  async () => {
    for (const [name, { open, measure, most }] of Object.entries(limits)) {
      for (const request of ['&', '`', '<a>', '````', '😀', 'word ']) {
        for (const length of [100, 900, 2600, 50_000]) {
          const half = request.repeat(length / request.length / 2)
          const [last = {}] = await collect(open, cardOf(`POST ${half}<middle>${half}<end>`))
          const words = JSON.stringify(last)
          assert.ok(measure(last) <= most, `${name}: ${measure(last)} of ${most}`)
          const shows = (part: string) => new RegExp(`(<|&lt;)${part}(>|&gt;)`).test(words)
          const which = `${name}: ${length} × ${request}`
          assert.ok(shows('end'), which)
          const isShortened = words.includes('Shortened')
          assert.ok(shows('middle') || isShortened, which)
          if (length === 100) assert.ok(!isShortened, which)
          if (length === 50_000) assert.ok(!shows('middle'), which)
          // What is not shown whole is not approved here.
          assert.equal(words.includes('Approve'), !isShortened, which)
          assert.equal(words.includes('Open to decide'), isShortened, which)
          // Slack collapses a long text and still shows the buttons.
          const folds = last.blocks?.some(({ text, expand }) => text?.text.startsWith('```') && !expand)
          assert.ok(!folds, words)
          assert.ok(name === 'telegram' || (words.match(/(?<!`)```(?!`)/g) ?? []).length === 2, words)
        }
      }
    }
  },
)

verifies(
  ['chat:slack', 'chat:cards'],
  'a decided card of Slack can be shown in any language: its text for notifications has 4,000 bytes at most',
  async () => {
    for (const letter of ['語', '😀', '&', 'é', 'word ']) {
      const title = `Ada denied shop__refund: ${letter.repeat(2000)}`
      const [{ text = '' } = {}] = await collect(openSlack, { ...cardOf('POST /refund'), title })
      assert.ok(Buffer.byteLength(text) <= 4000, `${letter}: ${Buffer.byteLength(text)} bytes`)
      assert.ok(Buffer.byteLength(text) > 3800, `${letter}: ${Buffer.byteLength(text)} bytes`)
      assert.doesNotMatch(text, /&[a-z]*$|\ufffd/, letter)
    }
  },
)

verifies(
  ['chat:cards', 'approvals:shows-request'],
  'a name on a card neither breaks its line nor turns the request into markup, and mentions nobody',
  async () => {
    const names = ['```', '`', '**Kim** (admin)', '[Details](https://evil.example)', '@all', '||', '> x']
    for (const [name, open] of Object.entries({ discord: openDiscord, mattermost: openMattermost })) {
      for (const asker of names) {
        const card = { ...cardOf('POST /refund'), lines: [{ label: 'Asked by', value: asker }] }
        const [sent] = await collect(open, card)
        const text = sent?.content ?? sent?.props?.attachments[0]?.text ?? ''
        const line = text.split('\n').find((one) => one.startsWith('Asked by: ')) ?? ''
        assert.doesNotMatch(line.replaceAll(/\\./g, ''), /[`*[\]|<>]/, `${name}: ${line}`)
        assert.doesNotMatch(name === 'mattermost' ? line : '', /@all/)
      }
    }
  },
)
