import assert from 'node:assert/strict'
import { exportJWK, exportPKCS8, generateKeyPair, SignJWT } from 'jose'
import type { Card } from '../../src/chat/chat.ts'
import type { Message } from '../../src/chat/contract.ts'
import type { Workspace } from '../../src/chat/workspaces/contract.ts'
import { type ChannelId, newId } from '../../src/shared/ids.ts'
import { join } from '../accounts/visitor.ts'
import type { Script } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startTarget } from '../support/start-target.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { keyedEventSender } from './support/send-keyed-events.ts'
import { startPlatformSceneOn } from './support/start-platform-scene.ts'

const project = '123456789'
const space = { name: 'spaces/OPS', displayName: 'Ops', spaceType: 'SPACE' }
const kim = { name: 'users/7', displayName: 'Kim', type: 'HUMAN' }

type Call = { method: string; path: string; query: URLSearchParams; body: Record<string, unknown> }
type Claims = { iss?: string; aud?: string; exp?: string; email?: string; email_verified?: boolean }

/** Google's sign-in, its keys and the Chat API, on loopback. A repeated request id returns the first message. */
async function startGoogle() {
  const [account, google] = await Promise.all([
    generateKeyPair('RS256', { extractable: true }),
    generateKeyPair('RS256'),
  ])
  const key = { ...(await exportJWK(google.publicKey)), kid: 'g1', alg: 'RS256' }
  const calls: Call[] = []
  const messages = new Map<string, { name: string; body: Record<string, unknown> }>()
  const sign = ({ iss, aud, exp, ...claims }: Claims) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'g1' })
      .setIssuer(iss ?? '')
      .setAudience(aud ?? '')
      .setExpirationTime(exp ?? '10m')
      .sign(google.privateKey)
  const stub = {
    calls,
    messages,
    fault: (_call: Call): 'lose-answer' | null => null,
    serviceAccount: '',
    /** For an app of its own: signed by Google Chat for the number of the project. */
    token: (claims: Claims = {}) => sign({ iss: 'chat@system.gserviceaccount.com', aud: project, ...claims }),
    /** For an add-on: signed by Google for the address, in the name of the project's account. */
    addOnToken: ({ eventsUrl }: Workspace, claims: Claims = {}) =>
      sign({
        iss: 'https://accounts.google.com',
        aud: eventsUrl ?? '',
        email: `service-${project}@gcp-sa-gsuiteaddons.iam.gserviceaccount.com`,
        email_verified: true,
        ...claims,
      }),
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

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

const startScene = async (script: Script) =>
  startPlatformSceneOn(
    await sharedApp(),
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

const said = (id: string, text: string) => ({
  name: `spaces/OPS/messages/A.${id}`,
  text: `@Bellhop ${text}`,
  argumentText: ` ${text}`,
  sender: kim,
  thread: { name: 'spaces/OPS/threads/A' },
})
/** As Google sends it to an add-on. */
const addOnEvent = (payload: Record<string, unknown>, parameters?: Record<string, string>) => ({
  commonEventObject: { hostApp: 'CHAT', platform: 'WEB', ...(parameters ? { parameters } : {}) },
  chat: { user: kim, eventTime: new Date().toISOString(), ...payload },
})

verifies(
  ['chat:google-chat', 'chat:inbound-verified', 'chat:outbound-idempotent'],
  'a mention is answered in its thread, once, even if the answer to the post is lost; only requests signed by Google are accepted, for an app and for an add-on',
  async () => {
    // This would mention everybody after Markdown is parsed.
    const sly = ['&lt;users/all&gt;', '<users\\/all>', '<users&sol;all>', '[x](users/all)'].join(' ')
    await using scene = await startScene(({ body }) => ({
      text: body.includes('and when') ? `Tomorrow. ${sly}` : 'To **Berlin**.',
    }))
    const google = scene.platform
    const deliver = async (event: object, token: string | Promise<string>) =>
      scene.send(JSON.stringify(event), { authorization: `Bearer ${await token}` })
    const asked = { type: 'MESSAGE', user: kim, space, message: said('A', 'where to?') }
    const followed = addOnEvent({ messagePayload: { space, message: said('B', 'and when?') } })
    const own = scene.workspace
    for (const token of [
      'nonsense',
      google.token({ aud: '1' }),
      google.token({ iss: 'somebody' }),
      google.token({ exp: '-6m' }),
      google.addOnToken(own, { aud: 'https://elsewhere.example' }),
      // Anybody can have Google sign for our address; the account tells whose add-on it is.
      google.addOnToken(own, { email: 'service-666@gcp-sa-gsuiteaddons.iam.gserviceaccount.com' }),
      google.addOnToken(own, { email: 'chat@system.gserviceaccount.com' }),
      google.addOnToken(own, { email_verified: false }),
      google.addOnToken(own, { exp: '-6m' }),
    ]) {
      assert.equal((await deliver(asked, token)).status, 401)
      assert.equal((await deliver(followed, token)).status, 401)
    }
    let lost = 0
    google.fault = ({ method }) => (method === 'POST' && lost++ === 0 ? 'lose-answer' : null)

    // A message of another app is not a request.
    const robot = { ...kim, name: 'users/8', type: 'BOT' }
    await deliver({ ...asked, user: robot, message: said('R', 'beep') }, google.token())
    await deliver(asked, google.token())
    await deliver(asked, google.token())
    const texts = () => [...google.messages.values()].map(({ body }) => body.text)
    const channel = await scene.channel('spaces/OPS')
    const kept = async () =>
      (await scene.app.get<{ items: Message[] }>(`/api/v1/channels/${channel.id}/messages`)).items
    const replied = async () =>
      (await kept()).filter(({ author, delivery }) => author.kind === 'agent' && delivery === 'sent')
    await until(async () => (await replied()).length === 1)
    assert.equal((await deliver(followed, google.addOnToken(own))).status, 200)
    // Add-ons may have the token in the body instead.
    const inBody = { authorizationEventObject: { systemIdToken: await google.addOnToken(own) } }
    assert.equal((await scene.send(JSON.stringify({ ...followed, ...inBody }), {})).status, 200)
    await until(() => texts().length === 2)

    const [first, second] = texts()
    assert.equal(first, 'To *Berlin*.')
    assert.match(String(second), /^Tomorrow\. .*users\/all/)
    assert.doesNotMatch(String(second), /<users/)
    assert.ok(lost > 1)
    const posts = google.calls.filter(({ method }) => method === 'POST')
    assert.ok(posts.every(({ body }) => JSON.stringify(body.thread) === '{"name":"spaces/OPS/threads/A"}'))
    await until(async () => (await kept()).length === 4)
    assert.equal(new Set((await kept()).map(({ id, threadId }) => threadId ?? id)).size, 1)
  },
)

verifies(
  ['chat:google-chat', 'chat:cards', 'chat:unlinked-click-refused'],
  'an approval in a space is decided by a linked admin only, where its card is; others are told in private',
  async () => {
    await using scene = await startScene((_request, index) =>
      index === 0 ? { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] } : { text: 'Done.' },
    )
    const google = scene.platform
    const { id: channelId } = await scene.channel('spaces/OPS')
    const { runId } = await scene.sendEvent(await scene.createWebhook({ channelId }))
    await until(() => google.messages.size === 1)
    const [card] = [...google.messages.values()]
    const text = JSON.stringify(card?.body)
    assert.match(text, /POST .*\/orders\/A-1\/refund/)
    assert.doesNotMatch(text, /planted-shop-token/)
    const [, called, parameters = '[]'] =
      text.match(/"Approve","onClick":\{"action":\{"function":"([^"]+)","parameters":(\[[^\]]+\])/) ?? []
    assert.equal(called, scene.workspace.eventsUrl, 'a button of an add-on calls an address')
    const pressed = JSON.parse(parameters) as { key: string; value: string }[] // as it was sent

    const press = async (to = scene.workspace, where = space) => {
      const payload = { buttonClickedPayload: { space: where, message: { name: card?.name } } }
      const event = addOnEvent(payload, Object.fromEntries(pressed.map(({ key, value }) => [key, value])))
      const authorization = `Bearer ${await google.addOnToken(to)}`
      assert.equal((await scene.send(JSON.stringify(event), { authorization }, to)).status, 200)
    }
    const hints = () =>
      google.calls.flatMap(({ body }) =>
        JSON.stringify(body.privateMessageViewer) === '{"name":"users/7"}' ? [String(body.text)] : [],
      )
    await press()
    await until(() => hints().length === 1)
    assert.match(hints()[0] ?? '', /link code/)
    const admin = await join(scene.app, 'admin')
    await scene.link(kim.name, admin.id)
    await press(scene.workspace, { ...space, name: 'spaces/OTHER' })
    await until(() => hints().length === 2)
    const other = await scene.connect()
    await scene.link(kim.name, admin.id, other)
    await press(other)
    await until(() => hints().length === 3)
    assert.ok(
      hints()
        .slice(1)
        .every((hint) => /another channel/.test(hint)),
    )
    assert.equal((await scene.readRun(runId)).status, 'waiting')

    const authorization = `Bearer ${await google.token()}`
    const click = {
      type: 'CARD_CLICKED',
      eventTime: '1',
      user: kim,
      space,
      message: { name: card?.name },
      action: { actionMethodName: called, parameters: pressed },
    }
    assert.equal((await scene.send(JSON.stringify(click), { authorization })).status, 200)
    assert.equal((await scene.endedRun(runId)).status, 'succeeded')
    await until(() =>
      google.calls.some(
        ({ method, body }) => method === 'PATCH' && /Approved.* by The admin/.test(JSON.stringify(body)),
      ),
    )
  },
)

verifies('chat:cards', 'Google Chat: no character of a card’s title is cut in two', async () => {
  await using scene = await startScene(() => ({ text: 'Fine.' }))
  const { chat } = scene.app.app.ctx
  const channelId = (await scene.channel(space.name)).id as ChannelId // as the API gives it
  const title = `${'x'.repeat(199)}😀 and so on`
  const card: Card = {
    kind: 'approval',
    approvalId: newId('approval'),
    title,
    lines: [],
    request: 'POST /',
    state: 'denied',
    confirm: false,
  }
  await chat.post({ channelId, threadId: null, text: title, key: 'k', card })
  assert.doesNotMatch(JSON.stringify(scene.platform.calls), /\\ud83d/)
})

verifies(
  ['rules:one-thread-per-key', 'rules:closes', 'chat:google-chat'],
  'Google Chat: events with one key are in one thread, whose first message is edited when the matter is closed',
  async () => {
    await using scene = await startScene(() => ({ text: 'Fine.' }))
    const { platform: google } = scene
    const sendEvent = await keyedEventSender(scene, (await scene.channel('spaces/OPS')).id)
    await sendEvent({ k: 1, t: 'one' })
    await sendEvent({ k: 1, t: 'two' })
    await sendEvent({ k: 2, t: 'three' })
    await sendEvent({ k: 1, s: 'closed' })
    const threads = [...google.messages.values()].map(({ name, body }) => [name, body.thread])
    const [first] = threads[0] ?? []
    const id = String(first).split('.').at(-1)
    assert.deepEqual(
      threads.map(([, thread]) => thread),
      [undefined, { name: `spaces/OPS/threads/${id}` }, undefined, { name: `spaces/OPS/threads/${id}` }],
    )
    const edits = google.calls.filter(({ method }) => method === 'PATCH')
    assert.deepEqual(
      edits.map(({ path, body }) => [path, String(body.text).startsWith('✅')]),
      [[`/v1/${first}`, true]],
    )
  },
)
