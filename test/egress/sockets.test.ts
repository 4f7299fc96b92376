import assert from 'node:assert/strict'
import { once } from 'node:events'
import { openEgress, type RefusalEvent } from '../../src/platform/egress/open-egress.ts'
import { acceptSocket } from '../support/accept-socket.ts'
import { startDnsServer } from '../support/start-dns-server.ts'
import { startTarget } from '../support/start-target.ts'
import { verifies } from '../support/verifies.ts'

async function startPeer() {
  return startTarget(
    (request, response) => {
      // A redirect that must not be followed.
      response.writeHead(302, { location: request.url.replace('/away', '/') }).end()
    },
    {
      upgrade(request, socket) {
        if (request.url === '/away') {
          socket.end('HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n')
          return
        }
        const peer = acceptSocket(request, socket)
        peer.onFrame((frame) => peer.send({ ...frame, key: request.headers['x-key'] ?? null }))
      },
    },
  )
}

verifies(
  ['egress:one-way-out', 'egress:private-ranges', 'egress:refusal-names-rule', 'egress:no-redirects'],
  'a WebSocket goes through the same checks: internal addresses are refused and reported, redirects are not followed',
  async () => {
    await using peer = await startPeer()
    await using dns = await startDnsServer(() => ({ a: ['127.0.0.1'] }))
    const refusals: RefusalEvent[] = []
    const shared = {
      allowedHosts: [],
      ownOrigins: () => [],
      onRefusal: (event: RefusalEvent) => refusals.push(event),
    }
    await using closed = openEgress({
      ...shared,
      privateExceptions: [],
      resolveHost: dns.resolveHost,
    })
    for (const host of ['127.0.0.1', 'localhost', 'inside.example.test']) {
      const { socket } = closed.openSocket(`ws://${host}:${peer.port}/`, {}, 'a test')
      const [{ code }] = await once(socket, 'close')
      assert.equal(code, 1006)
    }
    assert.equal(peer.connections(), 0)
    assert.deepEqual(
      refusals.map(({ rule, purpose }) => [rule, purpose]),
      [
        ['non-public-address', 'a test'],
        ['local-name', 'a test'],
        ['non-public-address', 'a test'],
      ],
    )

    await using lifted = openEgress({ ...shared, privateExceptions: [peer.pair] })
    const { socket } = lifted.openSocket(`ws://${peer.pair}/`, { 'x-key': 'k' }, 'a test')
    await once(socket, 'open')
    socket.send('{"hello":1}')
    const [{ data }] = await once(socket, 'message')
    assert.deepEqual(JSON.parse(data), { hello: 1, key: 'k' })
    socket.close()
    await once(socket, 'close')

    const before = peer.connections()
    const { socket: led } = lifted.openSocket(`ws://${peer.pair}/away`, {}, 'a test')
    await once(led, 'close')
    assert.equal(peer.connections(), before + 1)
  },
)
