import { z } from 'zod'
import { agentMention } from '../../chat.ts'
import type { Connection } from '../connection.ts'
import type { ChatCommand, InboundMessage, Received } from '../platform.ts'
import { contentShape, readSlackContent } from './read-slack-content.ts'

const commandShape = z.looseObject({
  text: z.string().default(''),
  user_id: z.string(),
  user_name: z.string().nullish(),
  team_id: z.string().optional(),
  channel_id: z.string(),
  trigger_id: z.string(),
  response_url: z.string().optional(),
})
type Command = z.output<typeof commandShape>

const shortcutShape = z.looseObject({
  callback_id: z.string(),
  action_ts: z.string(),
  response_url: z.string().optional(),
  user: z.looseObject({ id: z.string(), name: z.string().nullish(), team_id: z.string().optional() }),
  channel: z.looseObject({ id: z.string() }),
  message: contentShape.extend({ ts: z.string(), thread_ts: z.string().optional() }),
})

/** The id of the message shortcut in the manifest. */
export const askShortcut = 'bellhop_ask'
const told = new Set<string>(['status', 'approvals', 'link'])
const longestQuote = 500

/** `/bellhop ask …` is a message to the agent; what only concerns the person who types it is answered to them. */
export function readSlackCommand({ settings }: Connection, content: unknown): Received {
  const command = commandShape.safeParse(content).data
  if (!command) return {}
  const [, word = '', rest = ''] = /^\s*(\S*)\s*([\s\S]*?)\s*$/.exec(command.text) ?? []
  const name = word.toLowerCase()
  const isForeign = Boolean(command.team_id && settings.teamId && command.team_id !== settings.teamId)
  if (name === 'ask' && rest) return { events: [question(command, rest, isForeign)] }
  // A code is read like one in a direct message.
  if (name === 'link' && rest) return { events: [linkRequest(command, rest)] }
  return { command: { name: isTold(name) ? name : 'help', senderId: command.user_id } }
}

function isTold(name: string): name is ChatCommand['name'] {
  return told.has(name)
}

function question(command: Command, text: string, isForeign: boolean): InboundMessage {
  return {
    ...base(command),
    sender: { id: command.user_id, name: command.user_name ?? null, isForeign },
    channel: {
      externalId: command.channel_id,
      name: null,
      kind: command.channel_id.startsWith('D') ? 'direct' : 'channel',
      isPrivate: 'unless-known',
    },
    text: `${agentMention} ${text}`,
    isUnseen: true,
  }
}

function linkRequest(command: Command, code: string): InboundMessage {
  return {
    ...base(command),
    sender: { id: command.user_id, name: command.user_name ?? null },
    channel: { externalId: command.channel_id, name: null, kind: 'direct' },
    text: `link ${code}`,
  }
}

function base({ trigger_id: id, response_url: token }: Command) {
  return {
    kind: 'message' as const,
    key: `command:${id}`,
    externalId: `command:${id}`,
    thread: null,
    addressed: true,
    ...(token ? { token } : {}),
  }
}

/** "Ask Bellhop about this": as if the person had mentioned the agent in the message's thread. */
export function readShortcut({ settings }: Connection, content: unknown): Received {
  const shortcut = shortcutShape.safeParse(content).data
  if (shortcut?.callback_id !== askShortcut) return {}
  const { user, channel, message, action_ts: at, response_url: token } = shortcut
  const thread = message.thread_ts ?? message.ts
  // In a longer thread it says which message is meant.
  const quoted = thread === message.ts ? '' : `\n\n${quote(readSlackContent(message))}`
  return {
    events: [
      {
        kind: 'message',
        key: `shortcut:${channel.id}:${user.id}:${at}`,
        externalId: `shortcut:${at}`,
        sender: {
          id: user.id,
          name: user.name ?? null,
          isForeign: Boolean(user.team_id && settings.teamId && user.team_id !== settings.teamId),
        },
        channel: {
          externalId: channel.id,
          name: null,
          kind: channel.id.startsWith('D') ? 'direct' : 'channel',
          isPrivate: 'unless-known',
        },
        thread,
        text: `${agentMention}${quoted}`,
        addressed: true,
        ...(token ? { token } : {}),
      },
    ],
  }
}

function quote(text: string): string {
  return text.slice(0, longestQuote).toWellFormed().replaceAll(/^/gm, '> ')
}
