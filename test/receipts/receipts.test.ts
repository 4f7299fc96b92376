import assert from 'node:assert/strict'
import { createPublicKey, verify as verifyBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { httpbis } from 'http-message-signatures'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { sql } from 'kysely'
import { newId } from '../../src/shared/ids.ts'
import {
  type ReceivedRequest,
  verifyReceipt,
  verifyRequest,
} from '../../src/tools/receipts/verify-receipt.ts'
import { join as joinAs } from '../accounts/visitor.ts'
import { startMcpSceneOn } from '../mcp/start-mcp-scene.ts'
import { runBellhop } from '../support/run-bellhop.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { hook } from '../support/start-gate.ts'
import { startSmallMcp } from '../support/start-small-mcp.ts'
import { loopback, startTestApp, testApiKey } from '../support/start-test-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { verifies } from '../support/verifies.ts'
import { startSigningShop } from './start-signing-shop.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

const refund = { name: 'shop__refund', input: { id: 'A-1', amount: 20 } }

verifies(
  'receipts:signed',
  'an approved write carries digest, receipt and signature, which `jose` and `http-message-signatures` verify',
  async () => {
    await using shop = await startSigningShop(await sharedApp())
    const { approval, callId, request } = await shop.approved(refund)
    const { keys } = await shop.keys()
    const [jwk] = keys
    assert.ok(jwk)
    assert.deepEqual(Object.keys(jwk).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x'])

    const { payload, protectedHeader } = await jwtVerify(
      request.headers['bellhop-approval'] ?? '',
      createLocalJWKSet({ keys }),
      { currentDate: shop.ctx.now() },
    )
    assert.deepEqual(protectedHeader, { alg: 'EdDSA', typ: 'bellhop-approval+jwt', kid: jwk.kid })
    const { iat = 0, exp = 0, jti, decidedAt: _, decidedBy, ...claims } = payload
    assert.deepEqual(claims, {
      approval: approval.id,
      run: 'run_test',
      call: callId,
      tool: 'shop__refund',
      digest: approval.digest,
      cause: { kind: 'user', id: 'usr_admin', name: 'Ada' },
      contentDigest: request.headers['content-digest'],
      iss: shop.ctx.publicUrl,
    })
    assert.deepEqual([exp - iat, typeof jti], [60, 'string'])
    assert.equal(Array.isArray(decidedBy) && decidedBy.length, 1)

    const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
    const isGenuine = await httpbis.verifyMessage(
      {
        keyLookup: async ({ keyid }) =>
          keyid === jwk.kid
            ? {
                id: String(keyid),
                algs: ['ed25519'],
                verify: async (data, signature) => verifyBytes(null, data, publicKey, signature),
              }
            : null,
        requiredFields: ['@method', '@target-uri', 'content-digest', 'bellhop-approval'],
        requiredParams: ['created', 'expires', 'nonce', 'keyid'],
        // The app's clock may be another one than the machine's.
        tolerance: 10 ** 9,
      },
      { method: request.method, url: request.url, headers: stringsOf(request) },
    )
    assert.equal(isGenuine, true)
    assert.deepEqual((await verifyRequest(request, { keys }, shop.ctx.now())).ok, true)
  },
)

verifies(
  'receipts:signed',
  'people see before they approve that the request is signed; reads, automatic tools and trials carry no receipt, and an input cannot forge one',
  async () => {
    const app = await sharedApp()
    await using shop = await startSigningShop(app)
    const { approval } = await shop.ask(refund)
    assert.equal(approval.request.headers.Signature, '(signed when it is sent)')
    const none = await app.api('GET', `/api/v1/approvals/${approval.id}/receipt`)
    assert.equal(none.status, 404)

    await shop.call({ name: 'shop__get_order' })
    const { tools } = await app.get<{ tools: { id: string; name: string }[] }>(
      `/api/v1/connectors/${shop.connectorId}`,
    )
    const tool = tools.find(({ name }) => name === 'refund')
    assert.ok(tool)
    const tried = await app.api<{ request: { headers: object } }>('POST', `/api/v1/tools/${tool.id}/try`, {
      input: refund.input,
      confirm: true,
    })
    assert.equal('Signature' in tried.body.request.headers, false)
    await app.api('PATCH', `/api/v1/connectors/${shop.connectorId}/tools/${tool.id}`, {
      permission: 'auto',
      locations: { note: { in: 'header', name: 'Bellhop-Approval' } },
      inputSchema: { type: 'object', properties: { id: { type: 'string' }, note: { type: 'string' } } },
    })
    const forged = await shop.call({ name: 'shop__refund', input: { id: 'A-1', note: 'eyJ.forged.x' } })
    assert.equal(forged.kind, 'answered')
    assert.equal(shop.target.seen.length, 3)
    for (const { headers } of shop.target.seen) {
      assert.equal(headers['bellhop-approval'], undefined)
      assert.equal(headers.signature, undefined)
    }
    const recorded = await sql<{ request: string }>`
      select request from tool_calls where connector_id = ${shop.connectorId}`.execute(shop.ctx.db)
    for (const { request } of recorded.rows.filter(({ request: text }) => !text.includes('"amount\\":20')))
      assert.doesNotMatch(request, /"Signature"/)
  },
)

verifies(
  'receipts:signed',
  'what a policy approves and a call to an MCP server carry receipts too',
  async () => {
    const app = await sharedApp()
    await using server = await startSmallMcp([
      { name: 'publish', inputSchema: { type: 'object', properties: { page: { type: 'string' } } } },
    ])
    {
      await using shop = await startSigningShop(app)
      const policy = await app.api<{ id: string }>('POST', '/api/v1/policies', {
        name: 'Small refunds',
        tool: 'shop__refund',
        when: 'input.amount <= 50',
        then: 'auto',
        for: { requesters: ['webhook'] },
        cap: { calls: 3, per: 'day' },
      })
      assert.equal(policy.status, 201, policy.text)
      const outcome = await shop.call({ ...refund, requester: { ...hook } })
      assert.equal(outcome.kind, 'answered')
      const claims = JSON.parse(
        Buffer.from(
          String(shop.target.seen.at(-1)?.headers['bellhop-approval']).split('.')[1] ?? '',
          'base64url',
        ).toString(),
      )
      assert.deepEqual(claims.decidedBy, [{ kind: 'policy', id: policy.body.id, name: 'Small refunds' }])
      assert.deepEqual(claims.cause, { kind: 'webhook', id: 'hook_1', name: 'Orders' })
      await app.api('DELETE', `/api/v1/policies/${policy.body.id}`)
    }
    await using scene = await startMcpSceneOn(app, { url: `${server.origin}/mcp` })
    const { id } = await scene.refresh()
    const switched = await app.api('PATCH', `/api/v1/connectors/${id}`, { signRequests: true })
    assert.equal(switched.status, 200, switched.text)
    await scene.enable('publish', 'write')
    const asked = { callId: newId('toolCall'), runId: newId('run') }
    const waiting = await scene.call('docs__publish', { page: 'News' }, asked)
    assert.ok(waiting.kind === 'waiting', JSON.stringify(waiting))
    assert.equal((await app.api('POST', `/api/v1/approvals/${waiting.approvalId}/approve`, {})).status, 200)
    await scene.call('docs__publish', { page: 'News' }, asked)
    const called = server.seen.filter(({ body }) => body.includes('tools/call'))
    assert.equal(called.length, 1)
    const [sent] = called
    assert.ok(sent)
    const received = {
      method: 'POST',
      url: `${server.origin}/mcp`,
      headers: Object.fromEntries(
        Object.entries(sent.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
      ),
      body: Buffer.from(sent.body),
    }
    const keys = await app.get<{ keys: [] }>('/.well-known/jwks.json')
    const verdict = await verifyRequest(received, keys, scene.ctx.now())
    assert.equal(verdict.ok, true, JSON.stringify(verdict))
    const others = server.seen.filter(({ body }) => !body.includes('tools/call'))
    assert.ok(others.every(({ headers }) => headers.signature === undefined))
  },
)

verifies(
  'receipts:rotation',
  'after a rotation a new key signs, the former is still published, and its private part is gone; receipts stay readable with their key',
  async () => {
    const app = await sharedApp()
    await using shop = await startSigningShop(app)
    const before = await shop.approved(refund)
    const [former] = (await shop.keys()).keys
    const rotated = await app.api<{ keys: { id: string; retiredAt: string | null }[] }>(
      'POST',
      '/api/v1/signing-keys/rotate',
    )
    assert.equal(rotated.status, 200, rotated.text)
    const next = await shop.approved({ ...refund, input: { id: 'A-2', amount: 1 } })
    const keys = await shop.keys()
    assert.deepEqual(
      keys.keys.map(({ kid }) => kid),
      rotated.body.keys.slice(0, keys.keys.length).map(({ id }) => id),
    )
    assert.ok(keys.keys.length >= 2)
    for (const { request } of [before, next])
      assert.equal((await verifyRequest(request, keys, shop.ctx.now())).ok, true)
    const receipts = [await shop.receiptOf(before.approval.id), await shop.receiptOf(next.approval.id)]
    assert.equal(receipts[0]?.key.kid, former?.kid)
    assert.equal(receipts[1]?.key.kid, keys.keys[0]?.kid)
    assert.equal(receipts[1]?.claims.approval, next.approval.id)

    await sql`update signing_keys set retired_at = retired_at - interval '25 hours' where retired_at is not null`.execute(
      shop.ctx.db,
    )
    assert.equal((await shop.keys()).keys.length, 1)
    const kept = await shop.receiptOf(before.approval.id)
    assert.equal((await verifyReceipt(kept.receipt, { keys: [kept.key] }, shop.ctx.now())).ok, true)
    const { rows } = await sql<{ sealed: string | null }>`
      select sealed from signing_keys where retired_at is not null`.execute(shop.ctx.db)
    assert.ok(rows.every(({ sealed }) => sealed === null))
    const member = await joinAs(app, 'member')
    assert.equal((await member.visitor.send('POST', '/signing-keys/rotate')).status, 403)
  },
)

verifies(
  'receipts:rotation',
  'replicas that rotate and sign at the same moment leave one key that signs, and every receipt verifies',
  async () => {
    const app = await sharedApp()
    await using shop = await startSigningShop(app)
    const sent = await Promise.all([
      ...Array.from({ length: 4 }, (_, index) =>
        shop.approved({ ...refund, input: { id: `B-${index}`, amount: index } }),
      ),
      ...Array.from({ length: 4 }, async () => {
        const rotated = await app.api('POST', '/api/v1/signing-keys/rotate')
        assert.equal(rotated.status, 200, rotated.text)
      }),
    ])
    const { rows } = await sql`select from signing_keys where retired_at is null`.execute(shop.ctx.db)
    assert.equal(rows.length, 1)
    const keys = await shop.keys()
    for (const one of sent) {
      if (!one) continue
      const { receipt } = await shop.receiptOf(one.approval.id)
      assert.equal((await verifyReceipt(receipt, keys, shop.ctx.now())).ok, true)
    }
  },
)

verifies(
  'receipts:verify-command',
  '`bellhop verify` says what a genuine receipt or request stands for, and why another one is not',
  async () => {
    const app = await sharedApp()
    await using shop = await startSigningShop(app)
    const { approval, request } = await shop.approved(refund)
    await using folder = await temporaryFolder()
    const jwks = join(folder.path, 'jwks.json')
    await writeFile(jwks, JSON.stringify(await shop.keys()))
    const saved = join(folder.path, 'receipt.json')
    await writeFile(saved, JSON.stringify(await shop.receiptOf(approval.id)))
    const captured = join(folder.path, 'request.txt')
    const head = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
    const write = (body: string) =>
      writeFile(captured, [`POST /orders/A-1/refund HTTP/1.1`, ...head, '', body].join('\r\n'))
    await write('{"amount":20}')

    const receipt = await runBellhop(['verify', '-f', saved, '--jwks', jwks])
    assert.equal(receipt.code, 0, receipt.out)
    assert.match(receipt.out, new RegExp(`Genuine.*\n.*\ntool: shop__refund\napproval: ${approval.id}`))
    const whole = await runBellhop(['verify', '-f', captured, '--jwks', jwks, '--url', request.url])
    assert.match(whole.out, /^Genuine: this request was approved and sent as it is\./)
    const late = await runBellhop(['verify', '-f', saved, '--jwks', saved, '--at', '2099-01-01T00:00:00Z'])
    assert.deepEqual(
      [late.code, late.err],
      [1, 'Not genuine. It has expired: a receipt is in force for 60 seconds.\n'],
    )
    await write('{"amount":2000}')
    const other = await runBellhop(['verify', '-f', captured, '--jwks', jwks, '--url', request.url])
    assert.deepEqual([other.code, other.err], [1, 'Not genuine. The body is not the one that was sent.\n'])
    const nothing = await runBellhop(['verify', '-f', jwks, '--jwks', jwks])
    assert.deepEqual([nothing.code, /This is no receipt/.test(nothing.err)], [1, true])
    const rotated = await runBellhop(['rotate-signing-key', '--url', app.url, '--key', testApiKey])
    assert.match(rotated.out, /signed with the new key .*jwks\.json/)
  },
)

function stringsOf({ headers }: ReceivedRequest): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value ?? '']))
}
