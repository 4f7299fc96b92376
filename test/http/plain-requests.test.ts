import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { exchangeOf } from '../../src/platform/http-server/exchange.ts'
import { listen } from '../../src/platform/http-server/listen.ts'
import { fc } from '../support/property.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { echo, post, usual } from './plain-request.ts'

async function startServer({ withPlain }: { withPlain: boolean }) {
  const served = { plain: 0, other: 0 }
  const server = await listen({
    host: '127.0.0.1',
    port: 0,
    graceMs: 5_000,
    listener: (request, response) => {
      served.other++
      echo(exchangeOf(request, response)).catch(() => undefined)
    },
    plain: withPlain
      ? {
          prefix: '/hooks/',
          serve: (exchange) => {
            served.plain++
            void echo(exchange)
          },
        }
      : undefined,
  })
  return { ...server, port: server.port, served, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** Everything that a client gets which sends these pieces, each after the last answer if it is patient, and then half-closes. */
async function talk(port: number, pieces: readonly string[], { patient = false } = {}): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1')
  })
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, 'connect')
  for (const [n, piece] of pieces.entries()) {
    if (patient) await until(() => answer.split('HTTP/1.1').length > n)
    else if (n > 0) await pause(3)
    if (socket.writable) socket.write(piece, 'latin1')
  }
  socket.end()
  await closed
  return answer.replace(/^(Date|Connection|Keep-Alive): .*\r\n/gim, '')
}

/** What was understood. Whether a client still hears of a refusal depends on when its bytes come. */
function accepted(answers: string): string {
  return answers.replace(/HTTP\/1\.1 [45]\d\d [\s\S]*/, '')
}

verifies(
  'hooks:odd-http',
  'plain deliveries of one connection are read without node:http; the answers are the same',
  async () => {
    await using quick = await startServer({ withPlain: true })
    await using slow = await startServer({ withPlain: false })
    const pieces = [usual, post(''), usual, post('{}', [], '/api/v1/events')]
    const answer = await talk(quick.port, pieces, { patient: true })
    assert.equal(answer, await talk(slow.port, pieces, { patient: true }))
    assert.equal(answer.match(/HTTP\/1\.1 200 OK/g)?.length, 4)
    assert.match(answer, /"X-Odd","two {2}words"/)
    assert.deepEqual(quick.served, { plain: 3, other: 1 })
  },
)

const unusual: Record<string, string> = {
  'another prefix': post('{}', [], '/api/v1/events'),
  'another method': usual.replace('POST', 'PUT'),
  'an absolute target': usual.replace('/hooks', 'http://x/hooks'),
  'HTTP/1.0': usual.replace('1.1', '1.0'),
  'no host': usual.replace('Host: x\r\n', ''),
  'two hosts': usual.replace('Host: x', 'Host: x\r\nHost: y'),
  'no length': usual.replace(/Content-Length: 7\r\n/, ''),
  'two lengths': usual.replace('Content-Length: 7', 'Content-Length: 7\r\ncontent-length: 7'),
  'a signed length': usual.replace('Length: 7', 'Length: +7'),
  'a length with zeros': usual.replace('Length: 7', 'Length: 007'),
  'a list of lengths': usual.replace('Length: 7', 'Length: 7, 7'),
  'a length that is too short': usual.replace('Length: 7', 'Length: 3'),
  'a length that is too long': usual.replace('Length: 7', 'Length: 9'),
  'a length and chunks': post('0\r\n\r\n', ['Transfer-Encoding: chunked']),
  chunks: `${post('', ['Transfer-Encoding: chunked']).replace('Content-Length: 0\r\n', '')}2\r\n{}\r\n0\r\n\r\n`,
  'an expectation': post('{}', ['Expect: 100-continue']),
  'an upgrade': post('{}', ['Connection: upgrade', 'Upgrade: websocket']),
  'a last request': post('{}', ['Connection: close']),
  'a header twice': post('{}', ['X-A: 1', 'x-a: 2']),
  'a folded header': post('{}', ['X-A: 1', ' 2']),
  'a space before the colon': post('{}', ['X-A : 1']),
  'a header without a colon': post('{}', ['X-A']),
  'a header without a name': post('{}', [': 1']),
  'an empty value': post('{}', ['X-A:']),
  'bytes beyond ASCII': post('{}', ['X-A: \xe9']),
  'a control character': post('{}', ['X-A: \x01']),
  'a bare line feed': usual.replace('Host: x\r\n', 'Host: x\n'),
  'a bare carriage return': usual.replace('Host: x\r\n', 'Host: x\rX: y\r\n'),
  'an empty line first': `\r\n${usual}`,
  'a name of an object': post('{}', ['__proto__: 1', 'constructor: 2']),
  'too many headers': post(
    '{}',
    Array.from({ length: 150 }, (_, n) => `X-${n}: 1`),
  ),
  'long headers': post('{}', [`X-A: ${'a'.repeat(20_000)}`]),
  'too long headers': post('{}', [`X-A: ${'a'.repeat(40_000)}`]),
  'two at once': usual + usual,
  'garbage after it': `${usual}garbage\r\n\r\n`,
  'no HTTP': 'hello\r\n\r\n',
}

verifies(
  'hooks:odd-http',
  'whatever is not plain gets the answer of node:http, also after a plain delivery on the same connection',
  async () => {
    await using quick = await startServer({ withPlain: true })
    await using slow = await startServer({ withPlain: false })
    for (const [name, request] of Object.entries(unusual)) {
      for (const pieces of [[request], [usual, request], [usual, request, usual]]) {
        const [answer, expected] = [await talk(quick.port, pieces), await talk(slow.port, pieces)]
        assert.equal(accepted(answer), accepted(expected), name)
      }
    }
  },
)

verifies(
  'hooks:odd-http',
  'however deliveries are altered and cut into pieces, both ways of reading them understand the same',
  async () => {
    await using quick = await startServer({ withPlain: true })
    await using slow = await startServer({ withPlain: false })
    const odd = fc.constantFrom(
      '\r\n',
      '\n',
      '\r',
      '\0',
      ' ',
      '\t',
      ':',
      ',',
      ';',
      '0',
      '9',
      'é',
      'A',
      '\r\n\r\n',
      '',
    )
    const alteration = fc.record({ at: fc.nat(), removed: fc.nat({ max: 3 }), inserted: odd })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(usual, usual + usual, ...Object.values(unusual).filter(({ length }) => length < 500)),
        fc.array(alteration, { maxLength: 3 }),
        fc.array(fc.nat(), { maxLength: 2 }),
        async (request, alterations, cuts) => {
          let altered = request
          for (const { at, removed, inserted } of alterations) {
            const start = at % (altered.length + 1)
            altered = altered.slice(0, start) + inserted + altered.slice(start + removed)
          }
          const ends = cuts.map((cut) => cut % (altered.length + 1)).sort((a, b) => a - b)
          const pieces = [0, ...ends]
            .map((start, n) => altered.slice(start, ends[n]))
            .filter((piece) => piece)
          assert.equal(accepted(await talk(quick.port, pieces)), accepted(await talk(slow.port, pieces)))
        },
      ),
      { numRuns: 400 },
    )
  },
)
