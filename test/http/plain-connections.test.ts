import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { type Exchange, exchangeOf } from '../../src/platform/http-server/exchange.ts'
import { listen } from '../../src/platform/http-server/listen.ts'
import { servePlainRequests } from '../../src/platform/http-server/serve-plain-requests.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { echo, post, usual } from './plain-request.ts'

/** A server that keeps plain deliveries for the test to answer, and echoes everything else. */
const collect = (waiting: Exchange[], graceMs = 0) =>
  listen({
    host: '127.0.0.1',
    port: 0,
    graceMs,
    listener: (request, response) => void echo(exchangeOf(request, response)),
    plain: { prefix: '/hooks/', serve: (exchange) => void waiting.push(exchange) },
  })

verifies(
  'hooks:odd-http',
  'a delivery that comes before the last one is answered waits for its turn',
  async () => {
    const waiting: Exchange[] = []
    await using server = await collect(waiting)
    const socket = connect(server.port, '127.0.0.1')
    let answers = ''
    socket.on('data', (chunk) => {
      answers += String(chunk)
    })
    socket.write(post('1'))
    await until(() => waiting.length === 1)
    socket.write(post('2') + post('3'))
    await pause(20)
    socket.write(post('4'))
    await pause(20)
    assert.equal(answers, '')
    const [first] = waiting
    first?.answer(204, {})
    first?.answer(500, {})
    await until(() => answers.includes('"sent":"4"'))
    assert.deepEqual(answers.match(/HTTP\/1\.1 \d+|"sent":"."/g), [
      'HTTP/1.1 204',
      'HTTP/1.1 200',
      '"sent":"2"',
      'HTTP/1.1 200',
      '"sent":"3"',
      'HTTP/1.1 200',
      '"sent":"4"',
    ])
    socket.destroy()
  },
)

verifies(
  'hooks:odd-http',
  'a client that sends further deliveries before its answer and then ends its side gets an answer to each',
  async () => {
    const waiting: Exchange[] = []
    await using server = await collect(waiting)
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
    socket.write(post('1'))
    await until(() => waiting.length === 1)
    socket.end(post('2') + post('3'))
    await once(socket, 'finish')
    await pause(20)
    waiting[0]?.answer(200, { 'content-length': 10 }, '"sent":"1"')
    assert.deepEqual((await text(socket)).match(/"sent":"."/g), ['"sent":"1"', '"sent":"2"', '"sent":"3"'])
  },
)

verifies(
  'hooks:odd-http',
  'a stop closes idle connections and lets deliveries finish; the last answer of a connection announces the end',
  async () => {
    const open: Exchange[] = []
    const server = await collect(open, 60_000)
    const silent = connect(server.port, '127.0.0.1')
    const busy = connect(server.port, '127.0.0.1')
    const eager = connect(server.port, '127.0.0.1')
    busy.write(usual)
    eager.write(usual)
    await until(() => open.length === 2)
    eager.write(usual)
    await pause(20)
    const stopped = server[Symbol.asyncDispose]()
    await once(silent.resume(), 'close')
    for (const exchange of open) exchange.answer(200, { 'content-length': 2 }, '{}')
    const connections = async (socket: Socket) => (await text(socket)).match(/^connection: .*/gim)
    assert.deepEqual(await connections(busy), ['Connection: close'])
    assert.deepEqual(await connections(eager), ['Connection: keep-alive', 'Connection: close'])
    await stopped
  },
)

verifies(
  'house:leaves-first',
  'before a stop, new connections are still served, and each answer ends its connection, whoever reads it',
  async () => {
    let leaving = false
    await using server = await listen({
      host: '127.0.0.1',
      port: 0,
      graceMs: 1000,
      isLeaving: () => leaving,
      listener: (_request, response) => void response.end('{}'),
      plain: { prefix: '/hooks/', serve: (exchange) => exchange.answer(200, { 'content-length': 2 }, '{}') },
    })
    const kept = connect(server.port, '127.0.0.1')
    kept.write(usual)
    await once(kept, 'data')
    leaving = true
    const isNew = connect(server.port, '127.0.0.1')
    const other = connect(server.port, '127.0.0.1')
    kept.write(usual)
    isNew.write(usual)
    other.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n')
    for (const socket of [kept, isNew, other]) {
      assert.match(await text(socket), /^HTTP\/1\.1 200 .*\r\nconnection: close\r\n/is)
    }
  },
)

verifies(
  'http:bounded-connections',
  'a connection without a delivery, or without the next one, is closed after a time',
  async () => {
    let served = 0
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      servePlainRequests(socket, {
        prefix: '/hooks/',
        firstRequestMs: 50,
        keepAliveMs: 100,
        handOver: () => assert.fail(),
        // Not before the time is over.
        serve: (exchange) => {
          served++
          setTimeout(() => exchange.answer(204, {}), 200)
        },
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    assert.ok(address && typeof address === 'object')
    assert.equal(await text(connect(address.port, '127.0.0.1')), '')
    const socket = connect(address.port, '127.0.0.1')
    socket.write(usual)
    assert.match(await text(socket), /^HTTP\/1\.1 204 No Content\r\n/)
    assert.equal(served, 1)
    server.close()
  },
)

verifies(
  'http:bounded-connections',
  'a client that sends deliveries without reading the answers is left to node:http, which limits it',
  async () => {
    const served = { plain: 0, other: 0 }
    await using server = await listen({
      host: '127.0.0.1',
      port: 0,
      graceMs: 0,
      listener: () => void served.other++,
      plain: {
        prefix: '/hooks/',
        serve: (exchange) => {
          served.plain++
          exchange.answer(200, {}, 'x'.repeat(8 * 1024 * 1024))
        },
      },
    })
    const socket = connect(server.port, '127.0.0.1').pause()
    for (let n = 1; served.other === 0; n++) {
      socket.write(usual)
      await until(() => served.plain + served.other === n)
    }
    assert.ok(served.plain < 10, String(served.plain))
    socket.destroy()
  },
)
