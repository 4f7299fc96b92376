import assert from 'node:assert/strict'
import type { z } from 'zod'
import type { httpConnectorShape } from '../../src/connectors/contract.ts'
import type { ConnectorId } from '../../src/shared/ids.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { verifies } from '../support/verifies.ts'

type Connector = z.output<typeof httpConnectorShape>

verifies(
  'connectors:health',
  'a connector that was not reached by a call or a test says so until it is reached again or edited',
  async () => {
    let down = false
    await using model = await startStubAnthropic(({ body }) =>
      body.includes('tool_result')
        ? { text: 'Looked.' }
        : { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] },
    )
    await using shop = await startShop({
      env: model.env,
      answer: (_request, response) => (down ? response.destroy() : response.end('{}')),
    })
    const webhook = await shop.createWebhook()
    const look = async () => {
      const { items } = await shop.app.get<{ items: Connector[] }>('/api/v1/connectors')
      // The shop has one.
      return items[0]!
    }
    const run = async () => shop.endedRun((await shop.sendEvent(webhook)).runId)

    assert.deepEqual((await look()).health, { lastContactAt: null, lastError: null, lastErrorAt: null })
    await run()
    assert.ok((await look()).health.lastContactAt)
    assert.equal((await look()).health.lastError, null)

    down = true
    await run()
    const failing = await look()
    assert.match(failing.health.lastError ?? '', /\w/)
    assert.ok(failing.health.lastErrorAt)
    down = false
    await run()
    assert.equal((await look()).health.lastError, null)

    down = true
    await shop.app.api('POST', `/api/v1/connectors/${failing.id}/test`)
    assert.ok((await look()).health.lastError)
    await shop.app.api('PATCH', `/api/v1/connectors/${failing.id}`, { name: 'Shop again' })
    assert.equal((await look()).health.lastError, null)

    // A late result about the connector as it was before the edit.
    await shop.app.app.ctx.connectors.recordHealth(
      { id: shop.connectorId as ConnectorId, version: failing.version }, // the server gives ids of connectors
      'late',
    )
    assert.equal((await look()).health.lastError, null)
  },
)
