import { generateKeyPairSync, sign } from 'node:crypto'
import { acceptSocket, type ServerSocket } from '../../support/accept-socket.ts'
import { startTarget } from '../../support/start-target.ts'

export const mattermostToken = 'planted-mattermost-token'
/** What an admin enters to connect it. */
export const mattermostConnection = ({ origin }: { origin: string }) => ({
  platform: 'mattermost',
  botToken: mattermostToken,
  apiUrl: origin,
})
const bot = { id: 'botbotbotbot', username: 'house.bot', is_bot: true }
const kim = { id: 'kimkimkimkim', username: 'kim', nickname: '', first_name: 'Kim', last_name: 'Ada' }

type Attachment = {
  text: string
  title?: string
  actions?: { name: string; integration: { url: string; context: object } }[]
}
type Post = {
  id: string
  channel_id: string
  root_id: string
  user_id: string
  message: string
  create_at: number
  file_ids?: string[]
  pending_post_id?: string
  props: {
    bellhop_key?: string
    unsafe_links?: string
    attachments?: Attachment[]
    from_bot?: string
    from_webhook?: string
    override_username?: string
  }
}
type Call = { method: string; path: string; body: Record<string, unknown> }
type Event = { event: string; data: unknown; broadcast: object; seq: number }
type Hub = { id: string; sent: Event[] }

/**
 * A Mattermost server on loopback: the REST API and the WebSocket API, which buffers what it could not deliver and continues after the number
 * that a client gives, without another hello. `slowMs` is the time between a post and its answer.
 */
export async function startMattermost({ slowMs = 0 } = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const calls: Call[] = []
  const posts: Post[] = []
  const visits: string[] = []
  const channels = [
    { id: 'opsopsopsops', type: 'O', team_id: 't1', display_name: 'Ops' },
    { id: 'boardboardbo', type: 'P', team_id: 't1', display_name: 'Board' },
    { id: 'dmdmdmdmdmdm', type: 'D', team_id: '', display_name: '' },
  ]
  let hub: Hub | null = null
  let live: ServerSocket | null = null
  let numbers = 0

  const server = {
    calls,
    posts,
    visits,
    token: mattermostToken,
    /** What people have attached, by its id. */
    files: new Map<string, Buffer>(),
    allowsFiles: true,
    maxPostSize: '16383',
    /** Bots may be allowed to show something to one person alone. */
    allowsEphemeral: true,
    fault: (_call: Call): 'lose-answer' | { retryAfter: number } | { status: number } | null => null,
    isOpen: () => live !== null,
    ours: () => posts.filter(({ user_id: author }) => author === bot.id),
    /** Somebody writes; `silently` where the server loses the event. */
    speak(
      channel: string,
      message: string,
      rootId = '',
      silently = false,
      props: Post['props'] = {},
      fileIds: string[] = [],
    ): Post {
      const given = { channel_id: channel, root_id: rootId, message, props, file_ids: fileIds }
      const post = makePost(given, kim.id)
      if (!silently) publish(post, '@kim')
      return post
    },
    /** Kim adds a reaction to a post, or takes it back. */
    react(post: Post, emoji: string, event: 'reaction_added' | 'reaction_removed' = 'reaction_added'): void {
      if (!hub) return
      const reaction = { user_id: kim.id, post_id: post.id, emoji_name: emoji, create_at: Date.now() }
      const data = { reaction: JSON.stringify(reaction) }
      const said = { event, data, broadcast: { channel_id: post.channel_id }, seq: hub.sent.length }
      hub.sent.push(said)
      live?.send(said)
    },
    /** The same event once more, as after a resumed connection. */
    cut(): void {
      live?.cut()
      live = null
    },
    /** A restart: the connection is forgotten. */
    forget(): void {
      hub = null
    },
    socket(): ServerSocket {
      if (!live) throw new Error('Nobody is connected.')
      return live
    },
    skipNumber(): void {
      hub?.sent.push({ event: 'status_change', data: {}, broadcast: {}, seq: hub.sent.length })
    },
    /** What the server sends to the address of a button; `spoil` changes it afterwards. */
    press(card: Post, name: string, at = Date.now(), spoil: Record<string, unknown> = {}) {
      const { context } =
        card.props.attachments?.[0]?.actions?.find((one) => one.name === name)?.integration ?? {}
      const signed = `${newId()}:${kim.id}:${at}:`
      const signature = sign('sha256', Buffer.from(signed), privateKey).toString('base64')
      return JSON.stringify({
        user_id: kim.id,
        user_name: kim.username,
        channel_id: card.channel_id,
        post_id: card.id,
        trigger_id: Buffer.from(signed + signature).toString('base64'),
        type: 'button',
        context,
        ...spoil,
      })
    },
  }

  function newId(): string {
    return `id${String(++numbers).padStart(10, '0')}`
  }

  function makePost(given: Omit<Post, 'id' | 'user_id' | 'create_at'>, author: string): Post {
    const post = { ...given, id: newId(), user_id: author, create_at: Date.now() }
    posts.push(post)
    return post
  }

  /** Told to the bot too, when it is its own. */
  function publish(post: Post, sender: string): void {
    if (!hub) return
    const channel = channels.find(({ id }) => id === post.channel_id)
    const data = {
      channel_type: channel?.type,
      channel_display_name: channel?.display_name,
      sender_name: sender,
      team_id: channel?.team_id,
      post: JSON.stringify({ ...post, type: '', delete_at: 0 }),
    }
    const event = { event: 'posted', data, broadcast: { channel_id: post.channel_id }, seq: hub.sent.length }
    hub.sent.push(event)
    live?.send(event)
  }

  function connect(socket: ServerSocket, url: URL, isAllowed: boolean): void {
    visits.push(url.pathname + url.search)
    socket.onFrame((frame) => {
      const isPing = frame.action === 'ping'
      const reply = isAllowed
        ? { status: 'OK', data: { text: 'pong' }, seq_reply: frame.seq }
        : { status: 'FAIL', error: { status_code: 401 }, seq_reply: frame.seq }
      if (isPing) socket.send(reply)
    })
    socket.onClose(() => {
      if (live === socket) live = null
    })
    if (!isAllowed) return
    const asked = Number(url.searchParams.get('sequence_number'))
    live = socket
    if (hub && hub.id === url.searchParams.get('connection_id')) {
      for (const event of hub.sent.slice(asked)) socket.send(event)
      return
    }
    hub = { id: newId(), sent: [] }
    const hello = {
      event: 'hello',
      data: { connection_id: hub.id, server_version: '10.5.0' },
      broadcast: {},
      seq: 0,
    }
    hub.sent.push(hello)
    socket.send(hello)
  }

  const target = await startTarget(
    (request, response) => {
      const say = (body: unknown, status = 200) => void response.writeHead(status).end(JSON.stringify(body))
      if (request.headers.authorization !== `Bearer ${server.token}`)
        return say({ id: 'api.context.session_expired.app_error', message: 'Invalid session' }, 401)
      const path = request.url.replace('/chat/api/v4/', '')
      const file = server.files.get(path.replace('files/', ''))
      if (file) return void response.end(file)
      const upload = /name="files"; filename="([^"]+)"[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(request.body)
      if (path === 'files' && upload) {
        if (!server.allowsFiles) return say({ message: 'No permission' }, 403)
        const id = newId()
        server.files.set(id, Buffer.from(upload[2] ?? ''))
        return say({ file_infos: [{ id, name: upload[1] }] }, 201)
      }
      const body = request.body ? (JSON.parse(request.body) as Record<string, unknown>) : {}
      const call = { method: request.method, path, body }
      calls.push(call)
      const fault = server.fault(call)
      if (fault && typeof fault === 'object' && 'retryAfter' in fault) {
        response.setHeader('retry-after', String(fault.retryAfter))
        return say({ message: 'limit exceeded' }, 429)
      }
      if (fault && typeof fault === 'object') return say({ message: 'no' }, fault.status)
      if (path === 'users/me') return say(bot)
      if (path === `users/${kim.id}`) return say(kim)
      if (path === 'users/me/teams') return say([{ id: 't1', display_name: 'Acme' }])
      if (path === 'users/me/channels') return say(channels.map(describe))
      if (path === 'config/client?format=old') {
        const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
        return say({
          SiteName: 'Acme Chat',
          MaxPostSize: server.maxPostSize,
          AsymmetricSigningPublicKey: key,
        })
      }
      if (path === 'channels/direct') return say({ id: 'dmdmdmdmdmdm' })
      if (path === 'posts/ephemeral')
        return server.allowsEphemeral ? say({ id: newId() }, 201) : say({ message: 'No permission' }, 403)
      const history = path.match(/^channels\/(\w+)\/posts\?since=(\d+)$/)
      if (history) {
        const there = posts.filter(
          ({ channel_id: at, create_at: when }) => at === history[1] && when > Number(history[2]),
        )
        return say({
          order: there.map(({ id }) => id),
          posts: Object.fromEntries(there.map((p) => [p.id, p])),
        })
      }
      const thread = path.match(/^posts\/(\w+)\/thread$/)?.[1]
      if (thread) {
        const there = posts.filter(({ id, root_id: root }) => id === thread || root === thread)
        return say({
          order: there.map(({ id }) => id),
          posts: Object.fromEntries(there.map((p) => [p.id, p])),
        })
      }
      if (path === 'posts') {
        const given = body as Omit<Post, 'id' | 'user_id' | 'create_at'> // as it was sent
        const post = makePost(given, bot.id)
        publish(post, '@house.bot')
        if (fault === 'lose-answer') return void response.destroy()
        return slowMs > 0 ? void setTimeout(say, slowMs, post, 201) : say(post, 201)
      }
      const patched = posts.find(({ id }) => path === `posts/${id}/patch`)
      if (patched) Object.assign(patched, body)
      return say(patched ?? {})
    },
    {
      upgrade(request, socket) {
        const url = new URL(request.url ?? '/', 'http://mattermost')
        const isAllowed = request.headers.authorization === `Bearer ${server.token}`
        connect(acceptSocket(request, socket), url, isAllowed)
      },
    },
  )

  function describe(channel: { id: string }): object {
    const last = posts.findLast(({ channel_id: at }) => at === channel.id)?.create_at ?? 0
    return { ...channel, delete_at: 0, last_post_at: last }
  }

  return Object.assign(server, {
    origin: `${target.origin}/chat`,
    pair: target.pair,
    [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
  })
}
