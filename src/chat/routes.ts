import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { pageOf, pageQuery, toPage } from '../http/paging.ts'
import { problem } from '../http/problems.ts'
import { readDigest } from '../http/read-digest.ts'
import type { JobQueue } from '../jobs.ts'
import type { EventStreams } from '../platform/http-server/event-streams.ts'
import type { FileId } from '../shared/ids.ts'
import type { Authentication } from '../shared/ports/authentication.ts'
import type { ChannelFeed } from './channels/channel-feed.ts'
import { listForReader } from './channels/list-for-reader.ts'
import {
  type ChannelContext,
  changeChannel,
  createChannel,
  deleteChannel,
  getChannel,
} from './channels/manage-channels.ts'
import { chooseForReader, markRead } from './channels/reader-marks.ts'
import { streamChannel } from './channels/stream-channel.ts'
import { listMentions, listUnreadChannels } from './channels/unread.ts'
import type { ChatCommands } from './chat.ts'
import {
  channelChoice,
  channelIdShape,
  channelPatch,
  channelShape,
  decisionBody,
  messageIdShape,
  messagePatch,
  messageShape,
  newChannel,
  newMessage,
  readMark,
  streamEventShapes,
  unreadShape,
  workspaceIdShape,
} from './contract.ts'
import { changeOwnMessage } from './messages/change-own-message.ts'
import { receiveMessage } from './messages/receive-message.ts'
import { renderChannel, renderMessage } from './messages/render-message.ts'
import { searchTerms } from './messages/search-terms.ts'
import { announce, findMessage, listMessages as readMessages } from './store.ts'
import type { WatchContext } from './watches/match-watch.ts'

type Context = ChannelContext &
  WatchContext & {
    queue: JobQueue
    publicUrl: string
    settings: { read(): Promise<{ agent: { name: string } }> }
    live: { streams: EventStreams; channels: ChannelFeed }
    authentication: Authentication
    commands: Pick<ChatCommands, 'decide'>
  }

const define = endpoint<Context>()
const channelParams = z.object({ id: channelIdShape })
const messageParams = z.object({ id: messageIdShape })

// ── channels ──

export const listChannels = define({
  summary:
    'List channels of all workspaces, built-in first, with unread counts; `connectorId` matches a listed connector',
  query: pageQuery.extend({
    workspaceId: workspaceIdShape.optional(),
    connectorId: z.string().optional(),
    q: z.string().max(80).optional(),
  }),
  returns: pageOf(channelShape),
  answer: ({ db }, { query, actor }) => listForReader(db, { ...query, reader: actor }),
})

export const readUnread = define({
  summary:
    'Count channels with unread messages, and unread messages that name you, as far as they count by your levels',
  returns: unreadShape,
  async answer({ db }, { actor }) {
    const [unread, named] = await Promise.all([listUnreadChannels(db, actor), listMentions(db, actor, null)])
    const channels = new Set([...unread, ...named.map(({ channelId }) => channelId)]).size
    return { channels, mentions: named.length, latestMention: named[0]?.id ?? null }
  },
})

export const addChannel = define({
  summary: 'Create a channel in the built-in workspace',
  body: newChannel,
  status: 201,
  returns: channelShape,
  problems: ['name-taken'],
  answer: async (ctx, { body, caller }) =>
    renderChannel(await createChannel(ctx, caller, body), caller.actor),
})

export const readChannel = define({
  summary: 'Get a channel',
  params: channelParams,
  returns: channelShape,
  problems: ['not-found'],
  async answer({ db }, { params, actor }) {
    const { items } = await listForReader(db, { reader: actor, id: params.id, limit: 1 })
    return items[0] ?? renderChannel(await getChannel(db, actor, params.id), actor)
  },
})

export const patchChannel = define({
  summary:
    'Rename a built-in channel, choose which connectors the agent may use in a channel, or have the agent watch it',
  params: channelParams,
  body: channelPatch,
  returns: channelShape,
  problems: ['not-found', 'name-taken'],
  answer: async (ctx, { params, body, caller }) =>
    renderChannel(await changeChannel(ctx, caller, params.id, body), caller.actor),
})

export const dropChannel = define({
  summary: 'Delete a channel that no webhook uses',
  params: channelParams,
  problems: ['not-found', 'in-use'],
  answer: (ctx, { params, caller }) => deleteChannel(ctx, caller, params.id),
})

// ── messages ──

const messageQuery = pageQuery.extend({
  threadId: messageIdShape.optional(),
  runId: z.string().optional(),
  q: z.string().max(200).optional(),
})

export const listMessages = define({
  summary: 'List a channel’s messages, newest first, including threads',
  params: channelParams,
  query: messageQuery,
  returns: pageOf(messageShape),
  problems: ['not-found'],
  async answer(ctx, { params, query: { q, ...query }, actor }) {
    await getChannel(ctx.db, actor, params.id)
    const filter = { ...query, reader: actor, channelId: params.id, terms: searchTerms(q) }
    const page = toPage(await readMessages(ctx.db, filter), query.limit)
    return { ...page, items: page.items.map((row) => renderMessage(ctx, row)) }
  },
})

export const searchMessages = define({
  summary: 'Search messages in all channels for the words in `q`, newest first',
  query: pageQuery.extend({ q: z.string().min(1).max(200), channelId: channelIdShape.optional() }),
  returns: pageOf(messageShape),
  async answer(ctx, { query: { q, ...query }, actor }) {
    const terms = searchTerms(q)
    if (terms === null) return { items: [], nextCursor: null }
    const page = toPage(await readMessages(ctx.db, { ...query, reader: actor, terms }), query.limit)
    return { ...page, items: page.items.map((row) => renderMessage(ctx, row)) }
  },
})

export const addMessage = define({
  summary: 'Post a message; the agent answers when it is addressed',
  params: channelParams,
  body: newMessage,
  status: 201,
  returns: messageShape,
  problems: ['not-found'],
  answer: async (ctx, { params, body, actor }) =>
    renderMessage(
      ctx,
      await receiveMessage(ctx, {
        channelId: params.id,
        threadId: body.threadId ?? null,
        text: body.text,
        fileIds: body.fileIds as FileId[], // the schema has matched them
        author: actor,
      }),
    ),
})

export const readMessage = define({
  summary: 'Get a message',
  params: messageParams,
  returns: messageShape,
  problems: ['not-found'],
  async answer(ctx, { params, actor }) {
    const row = await findMessage(ctx.db, params.id)
    if (!row) throw problem('not-found', 'There is no such message.')
    await getChannel(ctx.db, actor, row.channelId)
    return renderMessage(ctx, row)
  },
})

export const patchMessage = define({
  summary: 'Edit one of your messages; the agent does not answer anew',
  params: messageParams,
  body: messagePatch,
  returns: messageShape,
  problems: ['not-found', 'forbidden'],
  answer: async (ctx, { params, body, actor }) =>
    renderMessage(ctx, await changeOwnMessage(ctx, actor, params.id, body)),
})

export const dropMessage = define({
  summary: 'Delete one of your messages; replies in its thread stay',
  params: messageParams,
  problems: ['not-found', 'forbidden'],
  async answer(ctx, { params, actor }) {
    await changeOwnMessage(ctx, actor, params.id, 'delete')
  },
})

export const putReadMark = define({
  summary: 'Mark a channel as read, up to a message or entirely',
  params: channelParams,
  body: readMark,
  problems: ['not-found'],
  async answer({ db }, { params, body, actor }) {
    await getChannel(db, actor, params.id)
    await markRead(db, actor.id, params.id, body.messageId ?? null)
  },
})

export const putStar = define({
  summary: 'Star a channel, or choose what counts as unread there; only you see it',
  params: channelParams,
  body: channelChoice,
  problems: ['not-found'],
  async answer({ db }, { params, body, actor }) {
    await getChannel(db, actor, params.id)
    await chooseForReader(db, actor.id, params.id, body)
  },
})

export const addTyping = define({
  summary: 'Show others in the channel that you are typing',
  params: channelParams,
  body: z.strictObject({ threadId: messageIdShape.nullish() }),
  async answer({ db }, { params, body, actor }) {
    await getChannel(db, actor, params.id)
    await announce(db, {
      channelId: params.id,
      typing: { threadId: body.threadId ?? null, name: actor.name },
    })
  },
})

export const decideOnCard = define({
  summary: 'Decide on an approval card in the channel',
  params: messageParams,
  body: decisionBody,
  returns: messageShape,
  problems: [
    'not-found',
    'forbidden',
    'not-an-approver',
    'already-approved',
    'approval-not-pending',
    'approval-changed',
  ],
  async answer(ctx, { params, body, actor, source, raw }) {
    if (actor.kind !== 'user') {
      throw problem(
        'forbidden',
        'A card is decided by a person who is signed in. With an API key use /approvals/{id}/approve, which is for writes.',
      )
    }
    const row = await findMessage(ctx.db, params.id)
    if (!row?.card) throw problem('not-found', 'There is no card on this message.')
    await getChannel(ctx.db, actor, row.channelId)
    await ctx.commands.decide({
      approvalId: row.card.approvalId,
      channelId: row.channelId,
      decision: body.decision,
      reason: body.reason ?? null,
      ...(raw.headers.has('if-match') ? readDigest(raw) : { edition: row.card.edition ?? 0 }),
      actor,
      source,
    })
    return renderMessage(ctx, (await findMessage(ctx.db, params.id)) ?? row)
  },
})

// ── live ──

export const followChannel = define({
  summary: 'Stream a channel’s messages (server-sent events; resumes after Last-Event-ID)',
  params: channelParams,
  /** For a first connection that continues a loaded page. */
  query: z.object({ after: z.string().optional() }),
  streams: streamEventShapes,
  problems: ['not-found', 'too-many-requests'],
  async answer(ctx, { params, query, raw, source, actor }) {
    await getChannel(ctx.db, actor, params.id)
    return streamChannel(ctx, params.id, { raw, source, actor }, query.after)
  },
})
