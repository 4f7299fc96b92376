import { type Actor, mayActAs } from '../../shared/actor.ts'
import type { ChannelRow, ReaderView } from '../channels/store.ts'
import type { Channel, Message } from '../contract.ts'
import { showReaction } from '../reactions/reactions-of.ts'
import type { MessageRow } from '../store.ts'
import { showThumb } from '../thumbs/thumbs-of.ts'

type Context = { publicUrl: string }

/** A message as the API and the streams show it. */
export function renderMessage(ctx: Context, row: MessageRow): Message {
  return {
    id: row.id,
    channelId: row.channelId,
    threadId: row.threadId,
    author: { kind: row.authorKind, id: row.authorId, name: row.authorName },
    text: row.text,
    card: row.card,
    approvalId: row.card?.approvalId ?? null,
    runId: row.runId,
    origin: row.origin,
    thumbs: row.thumbs?.map(showThumb) ?? null,
    reactions: row.reactions?.map(showReaction) ?? [],
    delivery: row.delivery,
    permalink: row.permalink ?? linkToMessage(ctx, row),
    seq: row.seq,
    files: row.files ?? [],
    createdAt: row.createdAt.toISOString(),
    editedAt: row.editedAt?.toISOString() ?? null,
    deletedAt: row.deletedAt?.toISOString() ?? null,
  }
}

/** The link to a message in the built-in workspace. */
export function linkToMessage(ctx: Context, { channelId, id }: { channelId: string; id: string }): string {
  return `${ctx.publicUrl}/channels/${channelId}?message=${id}`
}

/** What is watched for, and how, is for operators. */
export function renderChannel(row: ChannelRow & Partial<ReaderView>, reader: Actor): Channel {
  return {
    id: row.id,
    workspace: row.workspaceId,
    workspaceName: row.workspaceName,
    platform: row.platform,
    name: row.name,
    kind: row.kind,
    isPrivate: row.isPrivate,
    externalId: row.externalId,
    unconfirmed: row.unconfirmed,
    connectorIds: row.connectorIds,
    readsAcross: row.readsAcross,
    threadContext: row.threadContext,
    watch: mayActAs(reader, 'operator') ? row.watch : null,
    unread: row.unread ?? 0,
    counted: row.counted ?? 0,
    mentions: row.mentions ?? 0,
    starred: row.starred ?? false,
    notify: row.notify ?? 'all',
    lastMessageAt: row.lastMessageAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  }
}
