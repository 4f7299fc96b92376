import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { openBodyMemory } from '../../src/webhooks/ingress/body/body-memory.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { startWebhookApp } from './start-webhook-app.ts'

const sharedApp = shareInFile(() => startWebhookApp({ quiet: true }))

const mib = 1024 * 1024
const large = `"${'x'.repeat(100_000)}"`

verifies(
  'hooks:bounded-memory',
  'large bodies are read one after another, small ones at once, and what exceeds the memory limit is refused',
  async () => {
    const app = await sharedApp()
    const { endpointUrl } = await app.create({ maxBodyBytes: 16 * mib })
    assert.equal((await app.post(endpointUrl, '1')).status, 200)

    // Two declare the largest allowed length, get 100 Continue, and send nothing.
    const openSlow = () => openSender(endpointUrl, `expect: 100-continue\r\ncontent-length: ${16 * mib}`)
    const slow = await Promise.all([openSlow(), openSlow()])
    await until(() => slow.every(({ answer }) => answer().includes('100 Continue')))
    let answered = false
    const next = app.post(endpointUrl, large).finally(() => {
      answered = true
    })
    // All at once: nobody waits long for a silent sender.
    const small = await Promise.all(Array.from({ length: 5 }, () => app.post(endpointUrl, '1')))
    assert.ok(!answered)
    assert.ok(small.every(({ status }) => status === 200))
    slow[0].socket.destroy()
    assert.equal((await next).status, 200)
    slow[1].socket.destroy()

    // Without a declared length nobody waits, but what is buffered is counted.
    const chunk = `100000\r\n${'x'.repeat(mib)}\r\n`
    const endless = await Promise.all(
      Array.from({ length: 5 }, () => openSender(endpointUrl, 'transfer-encoding: chunked')),
    )
    for (const { socket } of endless) socket.write(chunk.repeat(15))
    await until(() => endless.some(({ answer }) => answer() !== ''))
    const [refused] = endless.map(({ answer }) => answer()).filter((text) => text !== '')
    assert.match(refused ?? '', /^HTTP\/1\.1 503 .*\r\nretry-after: 2\r\n/is)
    assert.match(refused ?? '', /Too many large deliveries are arriving at once/)
    for (const { socket } of endless) socket.destroy()
    await until(async () => (await app.post(endpointUrl, large)).status === 200)
  },
)

verifies(
  'hooks:bounded-memory',
  'the largest allowed body does not wait for small ones that are being stored, and holds up nobody',
  () => {
    const room = openBodyMemory()
    for (let n = 0; n < 100; n++) {
      const small = room.reserve(1_000)
      assert.ok(small && !(small instanceof Promise))
      assert.ok(small.hold(1_000))
    }
    for (const bytes of [16 * mib, 70_000]) {
      const place = room.reserve(bytes)
      assert.ok(place && !(place instanceof Promise), `${bytes} bytes wait`)
      place.release()
    }
  },
)

verifies(
  'hooks:bounded-memory',
  'whoever cannot get its turn in time, at the rate of those before it, is refused at once',
  async () => {
    let now = 0
    const limits = {
      maxAnnouncedBytes: mib,
      maxHeldBytes: 2 * mib,
      maxInLine: 500,
      maxWaitMs: 8_000,
      slowAfterMs: 60_000,
    }
    const room = openBodyMemory(limits, () => now)
    const first = await room.reserve(mib)
    const refused: number[] = []
    const queue = (n: number) =>
      Promise.resolve(room.reserve(mib)).then((reservation) => reservation ?? void refused.push(n))
    const line = Array.from({ length: 9 }, (_, n) => queue(n))
    // One in two seconds: after the next one, three more can have their turn in time.
    now = 2_000
    first?.release()
    const second = await line[0]
    await Promise.all(line.slice(4))
    assert.deepEqual(refused.sort(), [4, 5, 6, 7, 8])
    void queue(9)
    await queue(10)
    assert.deepEqual(refused.sort(), [10, 4, 5, 6, 7, 8])
    second?.release()
    for (const place of line.slice(1, 4)) (await place)?.release()
  },
)

verifies(
  'hooks:bounded-memory',
  'no sender waits for long: the queue is bounded, and a slow sender loses its reserved memory',
  async () => {
    const limits = {
      maxAnnouncedBytes: mib,
      maxHeldBytes: 2 * mib,
      maxInLine: 1,
      maxWaitMs: 60_000,
      slowAfterMs: 60_000,
    }
    const room = openBodyMemory(limits)
    const first = await room.reserve(mib)
    const second = room.reserve(mib)
    assert.equal(await room.reserve(mib), null, 'the line is full')
    assert.ok(await room.reserve(1_000), 'a small body waits for nobody')
    first?.release()
    assert.ok(await second)

    const hasty = openBodyMemory({ ...limits, maxWaitMs: 1 })
    assert.ok(await hasty.reserve(mib))
    assert.equal(await hasty.reserve(mib), null, 'the line went on too slowly')

    const strict = openBodyMemory({ ...limits, slowAfterMs: 1 })
    const slow = await strict.reserve(mib)
    assert.ok(slow?.hold(1_000))
    assert.ok(await strict.reserve(mib - 1_000), 'there is room for what the slow one did not send')
    assert.ok(slow?.hold(mib), 'and still for what it sends late')
    const third = await strict.reserve(0)
    assert.equal(third?.hold(mib), false, 'but not for more than all in all')
  },
)

async function openSender(endpointUrl: string, headers: string) {
  const { pathname, port } = new URL(endpointUrl)
  const socket = net.connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  let answer = ''
  socket.on('data', (bytes: Buffer) => {
    answer += bytes.toString('latin1')
  })
  socket.on('error', () => undefined)
  socket.write(
    `POST ${pathname} HTTP/1.1\r\nhost: bellhop\r\ncontent-type: application/json\r\n${headers}\r\n\r\n`,
  )
  return { socket, answer: () => answer }
}
