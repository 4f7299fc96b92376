import { generateKeyPairSync, sign } from 'node:crypto'
import { acceptSocket, type ServerSocket } from '../../support/accept-socket.ts'
import { startTarget } from '../../support/start-target.ts'

export const discordToken = 'planted-discord-token'
/** What an admin enters to connect it. */
export const discordConnection = ({ origin, publicKey }: { origin: string; publicKey: string }) => ({
  platform: 'discord',
  botToken: discordToken,
  applicationId: '99',
  publicKey,
  apiUrl: `${origin}/api/v10/`,
})
export const kim = { id: '7', username: 'kim', global_name: 'Kim' }
export const bot = { id: '42', username: 'bellhop', bot: true }
/** Discord gives every bot a role of its own name in each server. */
export const botRole = '77'

type Posted = {
  id: string
  place: string
  content: string
  nonce: string
  /** The content of an attached file. */
  file?: string
  components?: { components: { custom_id: string }[] }[]
}
type Call = { method: string; path: string; body: Record<string, unknown> }
type Spoken = { id: string; channel_id: string; content: string; author: object } & Record<string, unknown>
type Say = (body: unknown, status?: number) => unknown
type Frame = { op: number; d: Record<string, unknown> | number | null }
/** One connection to the gateway, with what the client sent over it. */
type Visit = { path: string; frames: Frame[]; socket: ServerSocket; closedWith: number | null }

const epochMs = 1_420_070_400_000
let lastNumber = 0
/** As Discord makes them: the time, then a number. */
export function snowflake(at = Date.now()): string {
  return String((BigInt(at - epochMs) << 22n) | BigInt(++lastNumber & 0xfff))
}

/** JSON, or a form with a message and a file. */
function readBody(text: string): Record<string, unknown> {
  if (!text.startsWith('--')) return text ? (JSON.parse(text) as Record<string, unknown>) : {}
  const field = (name: string) =>
    new RegExp(`name="${RegExp.escape(name)}"[^]*?\\r\\n\\r\\n([^]*?)\\r\\n--`).exec(text)?.[1] ?? ''
  return { ...(JSON.parse(field('payload_json')) as object), file: field('files[0]') }
}

/**
 * Discord on loopback: the REST API, where a repeated nonce returns the first message, and the gateway with its sessions, which
 * replay what a client has not seen.
 */
export async function startDiscord() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const calls: Call[] = []
  const messages: Posted[] = []
  const history: Spoken[] = []
  const threads = new Map<string, string>()
  const visits: Visit[] = []
  const sessions = new Map<string, { events: { s: number; t: string; d: unknown }[] }>()
  let live: { visit: Visit; session: { events: { s: number; t: string; d: unknown }[] } } | null = null

  const stub = {
    calls,
    messages,
    visits,
    publicKey: Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex'),
    token: discordToken,
    /** What people have attached, by its path. Discord's own store of files knows no tokens. */
    files: new Map<string, Buffer>(),
    heartbeatMs: 41_250,
    acknowledges: true,
    /** In place of READY and RESUMED. */
    closesWith: 0,
    fault: (_call: Call): 'lose-answer' | { retryAfter: number } | { status: number } | null => null,
    sign(body: string, timestamp = String(Math.floor(Date.now() / 1000))): Record<string, string> {
      const signature = sign(null, Buffer.from(timestamp + body), privateKey).toString('hex')
      return { 'x-signature-ed25519': signature, 'x-signature-timestamp': timestamp }
    },
    isOpen: () => live !== null,
    /** Opcodes that came over the last connection, heartbeats left out. */
    sentOpcodes: () => (visits.at(-1)?.frames ?? []).map(({ op }) => op).filter((op) => op !== 1),
    /** Somebody writes. `silently`: Discord stores it in the history without an event. */
    speak(place: string, content: string, more: Record<string, unknown> = {}, silently = false): Spoken {
      const mentions = content.includes(`<@${bot.id}>`) ? [bot] : []
      const message = { id: snowflake(), channel_id: place, type: 0, content, author: kim, mentions, ...more }
      history.push(message)
      if (!silently) stub.dispatch('MESSAGE_CREATE', message)
      return message
    },
    /** Numbered in the session, even while nobody is connected. */
    dispatch(t: string, d: unknown): void {
      const session = live?.session ?? [...sessions.values()].at(-1)
      if (!session) return
      const event = { s: session.events.length + 1, t, d }
      session.events.push(event)
      live?.visit.socket.send({ op: 0, ...event })
    },
    /** Repeats an event that was sent before. */
    repeat(): void {
      for (const event of live?.session.events ?? []) live?.visit.socket.send({ op: 0, ...event })
    },
    /** Somebody begins a post in a forum: a thread with an id of its own. */
    openPost: (forum: string, id: string) => void threads.set(id, forum),
    forgetSessions: () => sessions.clear(),
    socket(): ServerSocket {
      if (!live) throw new Error('Nobody is connected.')
      return live.visit.socket
    },
  }

  function greet(visit: Visit): void {
    visit.socket.send({ op: 10, d: { heartbeat_interval: stub.heartbeatMs } })
    visit.socket.onFrame((raw) => {
      const frame = raw as Frame // as the client sent it
      visit.frames.push(frame)
      if (frame.op === 1 && stub.acknowledges) visit.socket.send({ t: null, s: null, op: 11, d: null })
      if (frame.op === 2 || frame.op === 6) begin(visit, frame)
    })
    visit.socket.onClose((code) => {
      visit.closedWith = code
      if (live?.visit === visit) live = null
    })
  }

  function begin(visit: Visit, { op, d }: Frame): void {
    const asked = d as { token: string; session_id?: string; seq?: number } // of these two opcodes
    const session = sessions.get(asked.session_id ?? '')
    if (asked.token !== stub.token) visit.socket.close(4004, 'Authentication failed.')
    else if (stub.closesWith) visit.socket.close(stub.closesWith)
    else if (op === 2) beginSession(visit)
    else if (!session) visit.socket.send({ t: null, s: null, op: 9, d: false })
    else {
      live = { visit, session }
      for (const event of session.events.slice(asked.seq)) visit.socket.send({ op: 0, ...event })
      stub.dispatch('RESUMED', {})
    }
  }

  function beginSession(visit: Visit): void {
    const id = `session-${sessions.size + 1}-${visits.length}`
    const session = { events: [] }
    sessions.set(id, session)
    live = { visit, session }
    const resume_gateway_url = `${target.origin.replace('http', 'ws')}/resume`
    stub.dispatch('READY', { v: 10, user: bot, guilds: [], session_id: id, resume_gateway_url })
  }

  const target = await startTarget(
    (request, response) => {
      const say = (body: unknown, status = 200) => void response.writeHead(status).end(JSON.stringify(body))
      const file = stub.files.get(request.url.split('?')[0] ?? '')
      if (file) return void response.writeHead(request.headers.authorization ? 403 : 200).end(file)
      if (!/^DiscordBot \(\S+, \S+\)/.test(request.headers['user-agent'] ?? ''))
        return say({ message: 'internal network error', code: 40333 }, 403)
      if (request.headers.authorization !== `Bot ${stub.token}`)
        return say({ message: '401: Unauthorized' }, 401)
      const body = readBody(request.body)
      const path = request.url.replace('/api/v10/', '')
      const call = { method: request.method, path, body }
      calls.push(call)
      const fault = stub.fault(call)
      if (fault && typeof fault === 'object' && 'status' in fault) return say({ message: 'no' }, fault.status)
      if (fault && typeof fault === 'object')
        return say({ message: 'wait', retry_after: fault.retryAfter, global: false }, 429)
      if (path === 'gateway/bot') {
        const session_start_limit = { total: 1000, remaining: 999, reset_after: 0, max_concurrency: 1 }
        return say({ url: `${target.origin.replace('http', 'ws')}/gateway`, shards: 1, session_start_limit })
      }
      if (path === 'users/@me') return say(bot)
      if (path === 'users/@me/guilds') return say([{ id: '1', name: 'Acme' }])
      if (path === 'guilds/1') return say({ id: '1', name: 'Acme' })
      if (path === 'guilds/1/roles')
        return say([
          { id: '1', name: '@everyone' },
          { id: botRole, name: 'bellhop', tags: { bot_id: bot.id } },
        ])
      if (path === 'guilds/1/channels') return say(guildChannels.map(describe))
      if (path === 'guilds/1/threads/active')
        return say({ threads: [...threads.keys()].map((id) => describe({ id, type: 11 })) })
      const channel = path.match(/^channels\/(\d+)$/)?.[1]
      if (channel) return sayChannel(channel, say)
      const place = path.match(/^channels\/(\d+)\/messages/)?.[1]
      if (!place) return say({ id: '1' })
      // A malformed half of a character, and what is too long or empty.
      const { content, nonce, name } = body
      if (/\\ud[89a-f]/i.test(JSON.stringify(body)))
        return say({ message: 'The request body contains invalid JSON.', code: 50109 }, 400)
      if (content !== undefined && (content === '' || String(content).length > 2000))
        return say({ message: 'Invalid Form Body', code: 50035 }, 400)
      if (String(nonce ?? '').length > 25 || String(name ?? '').length > 100)
        return say({ message: 'Invalid Form Body', code: 50035 }, 400)
      if (!isPlace(place)) return say({ message: 'Unknown Channel', code: 10003 }, 404)
      const one = path.match(/^channels\/\d+\/messages\/(\d+)$/)?.[1]
      if (request.method === 'GET' && one) {
        const found = [...history, ...messages].find(({ id }) => id === one)
        return found ? say(found) : say({ message: 'Unknown Message', code: 10008 }, 404)
      }
      if (request.method === 'GET') return say(read(place, new URL(request.url, target.origin)))
      if (path.endsWith('/threads')) return beginThread(place, path.split('/')[3] ?? '', say)
      if (request.method === 'PATCH') return say({ id: path.split('/')[3] })
      const known = messages.find(({ nonce }) => nonce !== undefined && nonce === body.nonce)
      // As it was sent.
      const message = known ?? { id: snowflake(), place, ...(body as Omit<Posted, 'id' | 'place'>) }
      if (!known) messages.push(message)
      if (fault === 'lose-answer') return void response.destroy()
      return say({ id: message.id })
    },
    {
      upgrade(request, socket) {
        const visit: Visit = {
          path: request.url ?? '',
          frames: [],
          socket: acceptSocket(request, socket),
          closedWith: null,
        }
        visits.push(visit)
        greet(visit)
      },
    },
  )

  const guildChannels: { id: string; name?: string; type: number; permission_overwrites?: object[] }[] = [
    { id: '500', name: 'ops', type: 0, permission_overwrites: [] },
    { id: '501', name: 'voice', type: 2 },
    {
      id: '502',
      name: 'board',
      type: 0,
      permission_overwrites: [{ id: '1', type: 0, allow: '0', deny: '1024' }],
    },
  ]

  function describe(channel: { id: string; type: number }): object {
    const [last = null] = history
      .filter(({ channel_id: at }) => at === channel.id)
      .map(({ id }) => id)
      .toSorted((a, b) => (BigInt(a) > BigInt(b) ? -1 : 1))
    const parent = threads.get(channel.id)
    return { ...channel, guild_id: '1', last_message_id: last, ...(parent ? { parent_id: parent } : {}) }
  }

  function isPlace(id: string): boolean {
    return id.startsWith('9') || threads.has(id) || guildChannels.some((channel) => channel.id === id)
  }

  function sayChannel(id: string, say: Say): unknown {
    const known = guildChannels.find((channel) => channel.id === id)
    if (known) return say(describe(known))
    if (threads.has(id)) return say(describe({ id, type: 11 }))
    if (id.startsWith('9')) return say({ id, type: 1, recipients: [kim], last_message_id: null })
    return say({ message: 'Unknown Channel', code: 10003 }, 404)
  }

  function beginThread(channel: string, message: string, say: Say): unknown {
    if (!guildChannels.some(({ id, type }) => id === channel && type === 0))
      return say({ message: 'Cannot execute action on this channel type', code: 50024 }, 400)
    if (threads.has(message)) return say({ message: 'A thread has already been created', code: 160004 }, 400)
    threads.set(message, channel)
    return say({ id: message, type: 11, parent_id: channel })
  }

  /** Newest first, as Discord does. */
  function read(place: string, url: URL): unknown[] {
    const after = BigInt(url.searchParams.get('after') ?? '0')
    const before = BigInt(url.searchParams.get('before') ?? '9'.repeat(20))
    const ours = messages
      .filter((message) => message.place === place)
      .map((message) => ({ ...message, channel_id: place, author: bot, timestamp: new Date().toISOString() }))
    const all = [...history.filter(({ channel_id: at }) => at === place), ...ours]
    return all
      .filter(({ id }) => BigInt(id) > after && BigInt(id) < before)
      .toSorted((a, b) => (BigInt(a.id) > BigInt(b.id) ? -1 : 1))
      .slice(-Number(url.searchParams.get('limit') ?? 50))
  }

  return Object.assign(stub, {
    origin: target.origin,
    pair: target.pair,
    [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
  })
}
