import assert from 'node:assert/strict'
import { exportJWK, exportPKCS8, generateKeyPair, SignJWT } from 'jose'
import type { Message } from '../../src/chat/contract.ts'
import { join } from '../accounts/visitor.ts'
import type { Script } from '../support/model-script.ts'
import { startTarget } from '../support/start-target.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { startPlatformScene } from './support/start-platform-scene.ts'

const project = '123456789'
const space = { name: 'spaces/OPS', displayName: 'Ops', spaceType: 'SPACE' }
const kim = { name: 'users/7', displayName: 'Kim', type: 'HUMAN' }

type Call = { method: string; path: string; query: URLSearchParams; body: Record<string, unknown> }

/** Google's sign-in, its keys and the Chat API, on loopback. A request id that was seen gives the message it made. */
async function startGoogle() {
  const [account, google] = await Promise.all([
    generateKeyPair('RS256', { extractable: true }),
    generateKeyPair('RS256'),
  ])
  const key = { ...(await exportJWK(google.publicKey)), kid: 'g1', alg: 'RS256' }
  const calls: Call[] = []
  const messages = new Map<string, { name: string; body: Record<string, unknown> }>()
  const stub = {
    calls,
    messages,
    fault: (_call: Call): 'lose-answer' | null => null,
    serviceAccount: '',
    token: (claims: { aud?: string; iss?: string } = {}) =>
      new SignJWT({})
        .setProtectedHeader({ alg: 'RS256', kid: 'g1' })
        .setIssuer(claims.iss ?? 'chat@system.gserviceaccount.com')
        .setAudience(claims.aud ?? project)
        .setExpirationTime('10m')
        .sign(google.privateKey),
  }
  const target = await startTarget((request, response) => {
    const url = new URL(request.url, 'http://google')
    const say = (body: unknown) => void response.end(JSON.stringify(body))
    if (url.pathname === '/token') return say({ access_token: 'planted-google-token' })
    if (url.pathname === '/keys') return say({ keys: [key] })
    if (request.headers.authorization !== 'Bearer planted-google-token')
      return void response.writeHead(401).end('{}')
    const body = request.body ? (JSON.parse(request.body) as Record<string, unknown>) : {}
    const call = { method: request.method, path: url.pathname, query: url.searchParams, body }
    calls.push(call)
    if (url.pathname === '/v1/spaces') return say({ spaces: [space] })
    const id = url.searchParams.get('requestId')
    const thread = (body.thread as { name: string } | undefined)?.name.split('/').at(-1) // as the API has it
    const made = {
      name: `spaces/OPS/messages/${thread ?? `T${messages.size}`}.${thread ? `M${messages.size}` : `T${messages.size}`}`,
      body,
    }
    const message = (id && messages.get(id)) || made
    if (request.method === 'POST' && id) messages.set(id, message)
    if (stub.fault(call) === 'lose-answer') return void response.destroy()
    return say({ name: message.name })
  })
  stub.serviceAccount = JSON.stringify({
    client_email: 'bellhop@project.iam.gserviceaccount.com',
    private_key: await exportPKCS8(account.privateKey),
    token_uri: `${target.origin}/token`,
  })
  return Object.assign(stub, {
    origin: target.origin,
    pair: target.pair,
    [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
  })
}

const startScene = (script: Script) =>
  startPlatformScene(
    startGoogle,
    ({ origin, serviceAccount }) => ({
      platform: 'google-chat',
      projectNumber: project,
      serviceAccount,
      apiUrl: `${origin}/v1/`,
      openIdUrl: `${origin}/keys`,
    }),
    script,
  )

verifies(
  ['chat:google-chat', 'chat:inbound-verified', 'chat:outbound-idempotent'],
  'a mention is answered in its thread, once, also when the answer to the post is lost; only Google is heard',
  async () => {
    await using scene = await startScene(({ body }) => ({
      text: body.includes('and when') ? 'Tomorrow.' : 'To **Berlin**.',
    }))
    const google = scene.platform
    const deliver = async (event: object, token?: string) =>
      scene.send(JSON.stringify({ user: kim, space, ...event }), {
        authorization: `Bearer ${token ?? (await google.token())}`,
      })
    const asked = {
      type: 'MESSAGE',
      message: {
        name: 'spaces/OPS/messages/A.A',
        text: '@Bellhop where to?',
        argumentText: ' where to?',
        thread: { name: 'spaces/OPS/threads/A' },
      },
    }
    assert.equal((await deliver(asked, await google.token({ aud: '1' }))).status, 401)
    assert.equal((await deliver(asked, await google.token({ iss: 'somebody' }))).status, 401)
    assert.equal((await deliver(asked, 'nonsense')).status, 401)
    let lost = 0
    google.fault = ({ method }) => (method === 'POST' && lost++ === 0 ? 'lose-answer' : null)

    await deliver(asked)
    await deliver(asked)
    const texts = () => [...google.messages.values()].map(({ body }) => body.text)
    const channel = await scene.channel('spaces/OPS')
    const kept = async () =>
      (await scene.app.get<{ items: Message[] }>(`/api/v1/channels/${channel.id}/messages`)).items
    await until(async () => (await kept())[0]?.delivery === 'sent')
    await deliver({
      type: 'MESSAGE',
      message: {
        name: 'spaces/OPS/messages/A.B',
        text: '@Bellhop and when?',
        argumentText: ' and when?',
        thread: { name: 'spaces/OPS/threads/A' },
      },
    })
    await until(() => texts().length === 2)

    assert.deepEqual(texts(), ['To *Berlin*.', 'Tomorrow.'])
    assert.ok(lost > 1)
    const posts = google.calls.filter(({ method }) => method === 'POST')
    assert.ok(posts.every(({ body }) => JSON.stringify(body.thread) === '{"name":"spaces/OPS/threads/A"}'))
    await until(async () => (await kept()).length === 4)
    assert.equal(new Set((await kept()).map(({ id, threadId }) => threadId ?? id)).size, 1)
  },
)

verifies(
  ['chat:google-chat', 'chat:cards', 'chat:unlinked-click-refused'],
  'an approval in a space is decided by a linked admin only; others are told in private',
  async () => {
    await using scene = await startScene((_request, index) =>
      index === 0 ? { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] } : { text: 'Done.' },
    )
    const google = scene.platform
    const { id: channelId } = await scene.channel('spaces/OPS')
    const { runId } = await scene.ring(await scene.createWebhook({ channelId }))
    await until(() => google.messages.size === 1)
    const [card] = [...google.messages.values()]
    const text = JSON.stringify(card?.body)
    assert.match(text, /POST .*\/orders\/A-1\/refund/)
    assert.doesNotMatch(text, /planted-shop-token/)
    const approvalId = text.match(/apr_[0-9a-f-]{36}/)?.[0]
    const press = async (eventTime: string) =>
      scene.send(
        JSON.stringify({
          type: 'CARD_CLICKED',
          eventTime,
          user: kim,
          space,
          message: { name: card?.name },
          action: { actionMethodName: 'approve', parameters: [{ key: 'approvalId', value: approvalId }] },
        }),
        { authorization: `Bearer ${await google.token()}` },
      )
    await press('1')
    await until(() =>
      google.calls.some(
        ({ body }) =>
          JSON.stringify(body.privateMessageViewer) === '{"name":"users/7"}' &&
          /link code/.test(String(body.text)),
      ),
    )
    const admin = await join(scene.app, 'admin')
    const account = encodeURIComponent('users/7')
    const linked = await scene.app.api(
      'PUT',
      `/api/v1/workspaces/${scene.workspace.id}/identities/${account}`,
      {
        userId: admin.id,
      },
    )
    assert.equal(linked.status, 204, linked.text)
    await press('2')
    assert.equal((await scene.endedRun(runId)).status, 'succeeded')
    await until(() =>
      google.calls.some(
        ({ method, body }) => method === 'PATCH' && /Approved.* by The admin/.test(JSON.stringify(body)),
      ),
    )
  },
)
