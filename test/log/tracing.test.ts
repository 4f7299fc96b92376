import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

verifies('log:telemetry', 'spans arrive at the configured collector over OTLP', async () => {
  const received: string[] = []
  const collector = createServer(async (request, response) => {
    received.push(`${request.url} ${await text(request)}`)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  // A TCP server that listens has an address with a port.
  const { port } = collector.address() as AddressInfo
  {
    await using app = await startTestApp({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` } })
    await app.api('GET', '/api/v1/approvals')
  }
  collector.close()
  const spans = received.join('\n')
  assert.match(spans, /^\/v1\/traces /)
  assert.match(spans, /GET \/api\/v1\/approvals/)
  assert.match(spans, /bellhop/)
})
