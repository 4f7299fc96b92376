import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEmulator } from 'emulate'
import { serveSlackLines } from './slack-lines.ts'

export const botUserId = 'UBOT000001'
export const botToken = 'xoxb-planted-slack-token'
export const signingSecret = 'planted-slack-signing-secret'
const kimToken = 'xoxp-kim'
export const teamId = 'T000000001'

/** What goes wrong between us and Slack. */
export type Fault =
  /** Slack executed the call, and the answer was lost. */
  | 'lose-answer'
  /** Slack never received the call, and no answer came. */
  | 'lose-request'
  | 'server-error'
  /** Neither an answer nor an end. */
  | 'hang'
  /** Slack executed the call, and its gateway answers with an error. */
  | 'error-after'
  | { retryAfter: number }
  /** Slack refuses the call; with `needed` for want of this scope. */
  | { error: string; needed?: string }
  /** Slack answers this, whatever it was asked. */
  | { ok: true; [field: string]: unknown }

export type SlackMessage = {
  ts: string
  text: string
  thread_ts?: string
  user: string
  blocks?: { type: string; text?: unknown; elements?: { action_id?: string; value?: string }[] }[]
}

type Call = { method: string; body: Record<string, string> }

/** The Slack emulator behind a faulty connection: `fault` is called before every call. */
export async function startSlack() {
  const emulator = await createEmulator({
    service: 'slack',
    port: 0,
    seed: {
      slack: {
        team: { name: 'Acme', domain: 'acme' },
        users: [{ name: 'kim', real_name: 'Kim Park' }],
        channels: [{ name: 'ops' }],
        oauth_apps: [
          {
            client_id: 'client',
            client_secret: 'client-secret',
            name: 'Bellhop',
            redirect_uris: [],
            bot_user_id: botUserId,
            bot_id: 'BBOT000001',
            bot_name: 'bellhop',
          },
        ],
        tokens: [
          { token: botToken, type: 'bot', user_id: botUserId, bot_id: 'BBOT000001' },
          { token: kimToken, type: 'user', user: 'kim' },
        ],
      },
    },
  })
  const calls: Call[] = []
  const lines = serveSlackLines(() => slack.origin)
  const slack = {
    /** Socket Mode. */
    lines,
    calls,
    fault: (_call: Call): Fault | null => null,
    /** Channels that the app is in: only there may it read. */
    joined: new Set<string>(),
    /** User groups, by id: the accounts in them. */
    userGroups: new Map<string, string[]>(),
    /** What the token may do, as Slack says it with every answer. */
    scopes:
      'app_mentions:read,channels:history,channels:join,channels:read,chat:write,chat:write.public,commands,files:read,files:write,groups:history,groups:read,im:history,usergroups:read,users:read',
    /** What people have attached, by its path, with the tokens that came for it. */
    files: new Map<string, Buffer>(),
    fileTokens: [] as string[],
    origin: '',
    pair: '',
    callsOf: (method: string) => calls.filter((call) => call.method === method),
    async ask<T = Record<string, unknown>>(
      method: string,
      body: Record<string, unknown> = {},
      token = botToken,
    ): Promise<T> {
      const response = await fetch(`${emulator.url}/api/${method}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return (await response.json()) as T // the emulator's answer to a call of the test
    },
    /** Kim writes in Slack itself; Bellhop is not told. */
    async speak(message: { channel: string; text: string; thread_ts?: string }): Promise<string> {
      return (await slack.ask<{ ts: string }>('chat.postMessage', message, kimToken)).ts
    },
    /** Another app posts through an incoming webhook, as monitoring systems do. */
    async postAsApp(channel: string, message: Record<string, unknown>): Promise<string> {
      await fetch(`${emulator.url}/services/${teamId}/BAPP000001/X1`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ channel, ...message }),
      })
      const { thread_ts: thread } = message
      const posted = thread ? await slack.replies(channel, String(thread)) : await slack.history(channel)
      return posted.at(-1)?.ts ?? ''
    },
    async channelId(name: string): Promise<string> {
      const { channels } = await slack.ask<{ channels: { id: string; name: string }[] }>('conversations.list')
      return channels.find((channel) => channel.name === name)?.id ?? ''
    },
    async userId(name: string): Promise<string> {
      const { members } = await slack.ask<{ members: { id: string; name: string }[] }>('users.list')
      return members.find((member) => member.name === name)?.id ?? ''
    },
    /** Oldest first. */
    async history(channel: string): Promise<SlackMessage[]> {
      const { messages } = await slack.ask<{ messages: SlackMessage[] }>('conversations.history', {
        channel,
        limit: 200,
      })
      return messages.toReversed()
    },
    async replies(channel: string, ts: string): Promise<SlackMessage[]> {
      const { messages } = await slack.ask<{ messages: SlackMessage[] }>('conversations.replies', {
        channel,
        ts,
      })
      // People's messages reach us only as events; the emulator may not know the first message.
      return messages.filter((message) => message.ts !== ts)
    },
    /** Ends everything that hangs. */
    hangUp: () => proxy.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      for (const line of [...lines.open]) line.cut()
      proxy.closeAllConnections()
      proxy.close()
      await once(proxy, 'close')
      await emulator.close()
    },
  }

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const file = slack.files.get(request.url ?? '')
    if (file) {
      slack.fileTokens.push(request.headers.authorization ?? '')
      return void response.end(file)
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const call = {
      method: (request.url ?? '').replace('/api/', ''),
      body: body.startsWith('{')
        ? (JSON.parse(body) as Record<string, string>) // as it was sent
        : Object.fromEntries(new URLSearchParams(body)),
    }
    calls.push(call)
    const fault = slack.fault(call)
    if (fault === 'hang') return
    if (fault === 'lose-request') return void response.destroy()
    if (fault === 'server-error') return void response.writeHead(500).end('<html>oops</html>')
    if (fault !== null && typeof fault === 'object' && ('error' in fault || 'ok' in fault)) {
      return void response.end(JSON.stringify({ ok: false, ...fault }))
    }
    if (fault !== null && typeof fault === 'object') {
      return void response
        .writeHead(429, { 'retry-after': String(fault.retryAfter) })
        .end('{"ok":false,"error":"ratelimited"}')
    }
    if (call.method === 'apps.connections.open')
      return void response.end(JSON.stringify(lines.openTicket(request.headers.authorization)))
    if (call.method === 'users.conversations') {
      const channels = [...slack.joined].map((id) => ({ id, is_private: false }))
      return void response.end(JSON.stringify({ ok: true, channels }))
    }
    if (call.method === 'usergroups.users.list') {
      const users = slack.userGroups.get(call.body.usergroup ?? '')
      return void response.end(
        JSON.stringify(users ? { ok: true, users } : { ok: false, error: 'no_such_subteam' }),
      )
    }
    if (call.method.startsWith('/respond')) return void response.end('ok')
    const refusal = refuse(call, slack.joined)
    if (refusal) return void response.end(JSON.stringify({ ok: false, error: refusal }))
    if (call.method === 'conversations.join') slack.joined.add(call.body.channel ?? '')
    const answer = await fetch(`${emulator.url}${request.url}`, {
      method: 'POST',
      headers: {
        authorization: request.headers.authorization ?? '',
        'content-type': request.headers['content-type'] ?? '',
      },
      body,
    })
    // Bytes go the same way as everything else.
    const text = (await answer.text()).replaceAll(emulator.url, slack.origin)
    if (fault === 'lose-answer') return void response.destroy()
    if (fault === 'error-after') return void response.writeHead(502).end('bad gateway')
    const headers = { 'content-type': 'application/json', 'x-oauth-scopes': slack.scopes }
    response.writeHead(answer.status, headers).end(text)
  }

  const proxy = createServer((request, response) => void forward(request, response))
  proxy.on('upgrade', (request, socket) => lines.accept(request, socket))
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  // A listening TCP server has an AddressInfo.
  slack.pair = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
  slack.origin = `http://${slack.pair}`
  return slack
}

type Block = { type: string; text?: { text: string } | string; elements?: { value?: string }[] }

/** What Slack refuses and the emulator lets through. */
function refuse({ method, body }: Call, joined: ReadonlySet<string>): string | null {
  if (/^conversations\.(history|replies)$/.test(method) && !joined.has(body.channel ?? ''))
    return 'not_in_channel'
  if (body.blocks === undefined) return null
  if (body.blocks.length > 13_200) return 'msg_blocks_too_long'
  const blocks = JSON.parse(body.blocks) as Block[] // as the app sent it
  const isTooLong = ({ text, elements = [] }: Block) =>
    (typeof text === 'object' && text.text.length > 3000) ||
    (typeof text === 'string' && text.length > 12_000) ||
    elements.some(({ value = '' }) => value.length > 2000)
  return blocks.some(isTooLong) || blocks.length > 50 ? 'invalid_blocks' : null
}

export type Slack = Awaited<ReturnType<typeof startSlack>>

export function signSlack(body: string, timestamp = Math.floor(Date.now() / 1000), secret = signingSecret) {
  const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')
  return { 'x-slack-request-timestamp': String(timestamp), 'x-slack-signature': `v0=${signature}` }
}

type Said = {
  user: string
  channel: string
  text: string
  ts: string
  thread_ts?: string
  im?: boolean
  files?: { name: string; url_private?: string; size?: number }[]
  /** In a channel that is shared with another organisation: whose channel it is, and whose person speaks. */
  shared?: { owner: string; team: string }
}

/** An event as Slack sends it. A mention comes as two events: of the app, and of the channel. */
export function slackMessage(
  { im, shared, ...said }: Said,
  type: 'message' | 'app_mention' = 'message',
): string {
  return JSON.stringify({
    type: 'event_callback',
    team_id: shared?.owner ?? teamId,
    authorizations: [{ enterprise_id: null, team_id: teamId, user_id: botUserId, is_bot: true }],
    is_ext_shared_channel: shared !== undefined,
    api_app_id: 'A1',
    event_id: `Ev${randomUUID()}`,
    event_time: Math.floor(Date.now() / 1000),
    event: {
      type,
      ...(type === 'message' ? { channel_type: im ? 'im' : 'channel', team: shared?.team ?? teamId } : {}),
      ...said,
    },
  })
}

export function slackClick(click: {
  user: string
  channel: string
  ts: string
  action: string
  value: string
  team?: string
  /** Of the person who clicks: another one in a channel shared with another company. */
  userTeam?: string
  respond?: string
}): string {
  const payload = {
    type: 'block_actions',
    team: { id: click.team ?? teamId },
    user: { id: click.user, username: 'kim', team_id: click.userTeam ?? teamId },
    channel: { id: click.channel },
    container: { type: 'message', message_ts: click.ts, channel_id: click.channel },
    message: { ts: click.ts },
    trigger_id: randomUUID(),
    response_url: click.respond ?? 'https://hooks.slack.example/never-used',
    actions: [
      { type: 'button', action_id: click.action, value: click.value, action_ts: String(Date.now() / 1000) },
    ],
  }
  return new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
}

/** The fields of a slash command. */
export function slackCommand(text: string, { user, channel, respond = '' }: Record<string, string>) {
  return {
    command: '/bellhop',
    text,
    user_id: user ?? '',
    user_name: 'kim',
    team_id: teamId,
    channel_id: channel ?? '',
    trigger_id: randomUUID(),
    response_url: respond,
  }
}

/** Somebody chooses a shortcut in the menu of a message. */
export function slackShortcut(of: { user: string; channel: string; ts: string; respond: string }) {
  return {
    type: 'message_action',
    callback_id: 'bellhop_ask',
    team: { id: teamId },
    user: { id: of.user, name: 'kim', team_id: teamId },
    channel: { id: of.channel },
    message: { type: 'message', ts: of.ts, text: '' },
    action_ts: String(Date.now() / 1000),
    trigger_id: randomUUID(),
    response_url: of.respond,
  }
}
