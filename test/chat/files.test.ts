import assert from 'node:assert/strict'
import { deflateSync, gzipSync } from 'node:zlib'
import type { Message } from '../../src/chat/contract.ts'
import type { FileShape } from '../../src/chat/files/contract.ts'
import { makePdf, pageSaying } from '../support/make-pdf.ts'
import { textsOf } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { startTarget } from '../support/start-target.ts'
import { loopback, startTestApp, testApiKey } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { bot, discordConnection, startDiscord } from './support/start-discord.ts'
import { mattermostConnection, startMattermost } from './support/start-mattermost.ts'
import { startPlatformSceneOn } from './support/start-platform-scene.ts'
import { botToken, botUserId, slackMessage } from './support/start-slack.ts'
import { startSlackSceneOn } from './support/start-slack-scene.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))
type App = Awaited<ReturnType<typeof sharedApp>>

/** One pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const rows = Array.from({ length: 60_000 }, (_, n) => `order-${n},${n * 7}`).join('\n')

function imagesOf(request: { json: { messages?: unknown } } | undefined): string[] {
  const found = JSON.stringify(request?.json.messages).matchAll(/"media_type":"(image\/\w+)"/g)
  return [...found].map(([, type]) => type ?? '')
}

verifies(
  'chat:files-in',
  'Slack: images, pages of a table, a PDF and what cannot be read; the token goes to no other host, and read_more reads on',
  async () => {
    await using elsewhere = await startTarget((_, response) => void response.end('stolen'))
    await using scene = await startSlackSceneOn(await sharedApp(), ({ body, json }) => {
      const source = /read_more \{"source":"(file_[^"\\]+)/.exec(body.replaceAll('\\"', '"'))?.[1]
      const isFirst = (json.messages as unknown[]).length === 1
      return isFirst && source
        ? { calls: [{ name: 'read_more', input: { source, contains: 'order-30000,' } }] }
        : { text: 'All read.' }
    })
    const { slack, ops, kim, model } = scene
    const attach = (name: string, content: Buffer) => {
      slack.files.set(`/files-pri/${name}`, content)
      return { name, url_private: `${slack.origin}/files-pri/${name}`, size: content.length }
    }
    const files = [
      attach('screenshot.txt', png),
      attach('orders.csv', Buffer.from(rows)),
      attach('report.pdf', makePdf([pageSaying('Revenue fell'), pageSaying('in May')])),
      attach('backup.png', gzipSync('not an image')),
      { name: 'evil.txt', url_private: `${elsewhere.origin}/evil.txt`, size: 4 },
      { name: 'film.mp4', url_private: `${slack.origin}/files-pri/film`, size: 99_000_000 },
      { name: 'gone.txt', url_private: 'file:///etc/passwd', size: 4 },
      attach('notes.log', Buffer.from('\u001b[31mfailed\u001b[0m at 03:12')),
      attach('ninth.txt', Buffer.from('one too many')),
    ]
    const ts = (Date.now() / 1000).toFixed(6)
    const said = { user: kim, channel: ops, ts, text: `<@${botUserId}> what is this?`, files }
    await scene.deliver(slackMessage(said, 'app_mention'))
    await until(async () => (await slack.replies(ops, ts)).length === 1)

    const [asked, second] = model.requests
    const told = textsOf(asked?.json.messages).join('\n')
    assert.deepEqual(imagesOf(asked), ['image/png'])
    assert.match(told, /<<file orders\.csv \(text\/csv, \d+ bytes\) (\S+)>>\norder-0,0\n/)
    assert.doesNotMatch(told, /order-30000,/)
    assert.match(
      told,
      /<<file report\.pdf \(application\/pdf, \d+ bytes\) \S+>>\n\[Page 1\]\nRevenue fell\n\n\[Page 2\]\nin May\n/,
    )
    assert.match(told, /at 03:12/)
    for (const [name, why] of [
      ['backup\\.png', 'it is no image, text or PDF'],
      ['evil\\.txt', 'it is not kept by Slack'],
      ['film\\.mp4', 'files are read up to 8 MB'],
      ['gone\\.txt', 'it is not kept by Slack'],
      ['ninth\\.txt', 'only the first 8 files are read'],
    ])
      assert.match(told, new RegExp(`<<attached file that cannot be read \\S+>>\\n${name}[^\\n]*: ${why}\\.`))
    assert.match(textsOf(second?.json.messages).join('\n'), /order-30000,210000/)
    assert.deepEqual(new Set(slack.fileTokens), new Set([`Bearer ${botToken}`]))
    assert.equal(elsewhere.seen.length, 0)
  },
)

verifies('chat:files-in', 'Mattermost: files by their id', async () => {
  const app = await sharedApp()
  await using mattermost = await startPlatformSceneOn(app, startMattermost, mattermostConnection, () => ({
    text: 'Read.',
  }))
  const server = mattermost.platform
  await until(() => server.isOpen())
  server.files.set('f1', Buffer.from('{"state":"red"}'))
  server.speak('opsopsopsops', '@house.bot what is this?', '', false, {}, ['f1'])
  await until(() => server.ours().length === 1)
  const [run] = await mattermost.runs()
  const prompt = await app.get<{ parts: { text: string }[] }>(`/api/v1/runs/${run?.id}/prompt`)
  assert.match(
    prompt.parts.map(({ text }) => text).join('\n'),
    /<<file a file \(text\/plain\) \S+>>\n\{"state":"red"\}\n/,
  )
})
verifies('chat:files-in', 'Discord: only from its own hosts, and without a token', async () => {
  const app = await sharedApp()
  await using elsewhere = await startTarget((_, response) => void response.end('stolen'))
  await using scene = await startPlatformSceneOn(app, startDiscord, discordConnection, () => ({
    text: 'Noted.',
  }))
  const discord = scene.platform
  await until(() => discord.isOpen())
  discord.files.set('/cdn/b.txt', Buffer.from('Order 7'))
  const attachments = [
    { filename: 'a.txt', size: 5, url: `${elsewhere.origin}/a.txt` },
    { filename: 'b.txt', size: 7, url: `${discord.origin}/cdn/b.txt?ex=1` },
  ]
  discord.speak('500', `<@${bot.id}> look`, { attachments })
  await until(() => discord.messages.length === 1)
  const [run] = await scene.runs()
  const prompt = await app.get<{ parts: { text: string }[] }>(`/api/v1/runs/${run?.id}/prompt`)
  const told = prompt.parts.map(({ text }) => text).join('\n')
  assert.match(told, /a\.txt \(5 bytes\): it is not kept by Discord\./)
  assert.match(told, /<<file b\.txt \(text\/plain, 7 bytes\) \S+>>\nOrder 7\n/)
  assert.equal(elsewhere.seen.length, 0)
})

async function upload(app: App, channelId: string, name: string, content: Buffer) {
  const response = await fetch(
    `${app.url}/api/v1/channels/${channelId}/files?name=${encodeURIComponent(name)}`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${testApiKey}` },
      body: Uint8Array.from(content),
    },
  )
  return { status: response.status, file: (await response.json()) as FileShape }
}

verifies(
  'chat:files-in',
  'built-in: a file is uploaded, sent with a message, read by the agent, served without being run, and gone with the message',
  async () => {
    const app = await sharedApp()
    await using model = await startStubAnthropic(() => ({ text: 'Seen.' }))
    await using shop = await startShopOn(app, { model })
    const { channelId } = shop
    const image = await upload(app, channelId, 'a.png', png)
    assert.deepEqual([image.status, image.file.mediaType, image.file.problem], [201, 'image/png', null])
    const page = await upload(app, channelId, 'page.html', Buffer.from('<script>alert(1)</script>'))
    assert.equal(page.file.mediaType, 'text/plain')
    const odd = await upload(app, channelId, 'a\r\nb\u202egnp.exe', png)
    assert.equal(odd.file.name, 'a bgnp.exe')
    const path = `/api/v1/channels/${channelId}/messages`
    const send = (fileIds: string[], text = '@bellhop look') =>
      app.api<Message>('POST', path, { text, fileIds })
    const sent = await send([page.file.id, image.file.id])
    assert.deepEqual(
      sent.body.files.map(({ name }) => name),
      ['page.html', 'a.png'],
      sent.text,
    )
    assert.equal((await send([image.file.id])).status, 422, 'it was sent before')
    assert.equal((await send([], ' ')).status, 422)
    await until(() => model.requests.length === 1)
    assert.deepEqual(imagesOf(model.requests[0]), ['image/png'])
    assert.match(textsOf(model.requests[0]?.json.messages).join('\n'), /<script>alert\(1\)<\/script>/)

    const fetched = async (id: string) =>
      await fetch(`${app.url}/api/v1/files/${id}`, { headers: { authorization: `Bearer ${testApiKey}` } })
    const served = await fetched(page.file.id)
    assert.deepEqual(
      [served.headers.get('content-type'), served.headers.get('content-disposition')?.split(';')[0]],
      ['application/octet-stream', 'attachment'],
    )
    assert.equal(served.headers.get('x-content-type-options'), 'nosniff')
    assert.deepEqual(Buffer.from(await (await fetched(image.file.id)).arrayBuffer()), png)
    assert.equal((await fetch(`${app.url}/api/v1/files/${image.file.id}`)).status, 401)

    assert.equal((await app.api('DELETE', `/api/v1/messages/${sent.body.id}`)).status, 204)
    assert.equal((await fetched(image.file.id)).status, 404)
    assert.deepEqual((await app.get<Message>(`/api/v1/messages/${sent.body.id}`)).files, [])
  },
)

verifies(
  'chat:files-in',
  'polyglots, bombs, broken files and a PDF of 1,000 pages: each is what its bytes are, within limits, and the service goes on',
  async () => {
    const app = await sharedApp()
    await using shop = await startShopOn(app)
    const huge = Buffer.from(png)
    huge.writeUInt32BE(60_000, 16)
    const pdf = makePdf([pageSaying('Page one')])
    const bomb = makePdf([deflateSync(Buffer.alloc(4 * 1024 * 1024, '(a) Tj '))], '/Filter /FlateDecode')
    const cases: [string, Buffer, string | null, RegExp | null][] = [
      ['pixel flood.png', huge, null, /8000 pixels/],
      ['image and page.html', Buffer.concat([png, Buffer.from('<script>1</script>')]), 'image/png', null],
      ['pdf behind an image.pdf', Buffer.concat([png, pdf]), 'image/png', null],
      [
        'page with a pdf in it.pdf',
        Buffer.concat([Buffer.from('\u0000'), pdf]),
        null,
        /no image, text or PDF/,
      ],
      [
        'large.gif',
        Buffer.concat([Buffer.from('GIF89a\u0001\u0000\u0001\u0000'), Buffer.alloc(6_000_000)]),
        null,
        /5 MB/,
      ],
      ['cut.jpg', Buffer.from('ffd8ffe0ffff', 'hex'), null, /damaged/],
      ['broken.pdf', Buffer.from('%PDF-1.7\nnothing of a PDF'), 'application/pdf', /damaged/],
      ['scan.pdf', makePdf(['']), 'application/pdf', /no text/],
      ['bomb.pdf', bomb, 'application/pdf', /took more than|no text|damaged/],
      ['zeros.csv', Buffer.alloc(1000), null, /no image, text or PDF/],
      ['utf-16.csv', Buffer.from('\ufeffa;b', 'utf16le'), 'text/csv', null],
    ]
    for (const [name, content, mediaType, problem] of cases) {
      const { status, file } = await upload(app, shop.channelId, name, content)
      assert.equal(status, 201, name)
      assert.equal(file.mediaType, mediaType, name)
      if (problem) assert.match(file.problem ?? '', problem, name)
      else assert.equal(file.problem, null, name)
    }
    const pages = Array.from({ length: 1_000 }, (_, n) => pageSaying(`Sheet ${n + 1}.`))
    const long = await upload(app, shop.channelId, 'long.pdf', makePdf(pages))
    assert.deepEqual([long.status, long.file.problem], [201, null])
    assert.equal((await upload(app, shop.channelId, 'nine.bin', Buffer.alloc(9 * 1024 * 1024))).status, 413)
  },
)
