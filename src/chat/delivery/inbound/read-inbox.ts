import type { JobQueue, Jobs } from '../../../jobs.ts'
import { asError } from '../../../platform/as-error.ts'
import type { Db } from '../../../platform/db/database.ts'
import type { Log } from '../../../platform/log.ts'
import type { Actor, Role } from '../../../shared/actor.ts'
import type { Audit } from '../../../shared/audit.ts'
import { type ChannelId, newId, type WorkspaceId } from '../../../shared/ids.ts'
import type { Cache } from '../../cache.ts'
import { upsertExternalChannel } from '../../channels/store.ts'
import type { ChatCommands } from '../../chat.ts'
import { mostFiles } from '../../files/contract.ts'
import { insertFile } from '../../files/store.ts'
import { readLinkRequest } from '../../identities/read-link-request.ts'
import { findLinkedUser } from '../../identities/store.ts'
import type { AttachedFile, InboundMessage, Platform } from '../../platforms/platform.ts'
import { findAuthorName, findMessageByExternalId, insertMessage, type MessageRow } from '../../store.ts'
import { foreignRootText } from '../../threads/foreign-root.ts'
import { notifyAgent } from '../../threads/notify-agent.ts'
import { rateByPlatform } from '../../thumbs/rate-by-platform.ts'
import { matchWatch, type WatchContext, type WatchMatch } from '../../watches/match-watch.ts'
import { findExternalWatch } from '../../watches/store.ts'
import { openStoredPlatform, type PlatformContext } from '../../workspaces/open-platform.ts'
import { findWorkspace, type WorkspaceRow } from '../../workspaces/store.ts'
import { decideByClick } from './decide-by-click.ts'
import { isStranger, strangerNotice } from './is-stranger.ts'
import {
  type InboundRow,
  ignoreInbound,
  lockThread,
  markDone,
  nextInbound,
  reconsiderIgnored,
  recordTry,
  replaceInbound,
} from './store.ts'

type InboxContext = PlatformContext &
  WatchContext & {
    db: Db
    queue: JobQueue
    audit: Audit
    log: Log
    now: () => Date
    commands: Pick<ChatCommands, 'decide' | 'cancel'>
  }

type Sender = { id: string; name: string; user: Actor | null }

/** The job: reads what waits in a thread, oldest first, one worker at a time. */
export async function readInbox(
  ctx: InboxContext,
  { workspaceId, threadKey }: Jobs['chat.inbound'],
): Promise<void> {
  const workspace = await findWorkspace(ctx.db, workspaceId)
  if (!workspace) return
  const platform = await openStoredPlatform(ctx, workspace)
  for (;;) {
    const row = await nextInbound(ctx.db, workspaceId, threadKey)
    if (!row) return
    try {
      await readOne(ctx, workspace, threadKey, platform, row)
    } catch (error) {
      const text = asError(error).message
      if (await recordTry(ctx.db, row.seq, text)) throw error
      ctx.log.error({ err: error, workspaceId, inbound: row.seq }, 'chat.inbound_failed')
    }
  }
}

async function readOne(
  ctx: InboxContext,
  workspace: WorkspaceRow,
  threadKey: string,
  platform: Platform,
  { seq, body }: InboundRow,
): Promise<void> {
  const workspaceId = workspace.id
  if (body.kind === 'click') {
    await decideByClick(ctx, workspaceId, platform, body)
    return markDone(ctx.db, seq)
  }
  if (body.kind === 'thumb') {
    const sender = await findSender(ctx, workspaceId, platform, body)
    const askWhy = await ctx.db.transaction().execute(async (tx) => {
      await lockThread(tx, workspaceId, threadKey)
      // A person's next thumb may be under way to another worker: the one that was given last must stay.
      if ((await nextInbound(tx, workspaceId, threadKey))?.seq !== seq) return null
      const ask = await rateByPlatform(ctx, tx, { workspace, platform, sender }, body)
      await markDone(tx, seq)
      return ask
    })
    return await askWhy?.()
  }
  if (body.isUnseen && platform.showQuestion) {
    // From now on it is a message like others.
    const { isUnseen: _, ...shown } = { ...body, externalId: await platform.showQuestion(body) }
    await replaceInbound(ctx.db, seq, shown)
    return readOne(ctx, workspace, threadKey, platform, { seq, body: shown })
  }
  const sender = await findSender(ctx, workspaceId, platform, body)
  const watched =
    body.thread === null && !body.addressed
      ? await matchWatch(ctx, await findExternalWatch(ctx.db, workspaceId, body.channel.externalId), {
          text: body.text,
          author: {
            kind: body.isApp ? 'app' : 'person',
            name: sender.name,
            role: userRole(sender.user),
          },
        })
      : null
  let isAsked = false
  const answer = await ctx.db.transaction().execute(async (tx) => {
    await lockThread(tx, workspaceId, threadKey)
    // Another worker may have read it first.
    if ((await nextInbound(tx, workspaceId, threadKey))?.seq !== seq) return null
    if (body.isApp && !watched) {
      await markDone(tx, seq)
      return null
    }
    const link = body.isApp ? null : await readLinkRequest(ctx, tx, workspaceId, sender, body)
    if (link) {
      await markDone(tx, seq)
      return link
    }
    if (await isStranger(tx, workspace, sender.user, body)) {
      await markDone(tx, seq)
      return answerOnce(ctx, workspaceId, body, strangerNotice)
    }
    const channelId = await upsertExternalChannel(tx, { ...body.channel, workspaceId, now: ctx.now() })
    if (channelId === null) {
      await markDone(tx, seq)
      return answerOnce(ctx, workspaceId, body, deletedNotice)
    }
    if (await storeMessage(ctx, tx, channelId, workspaceId, sender, body, watched)) {
      isAsked = body.addressed
      await markDone(tx, seq)
      await reconsiderIgnored(tx, workspaceId, threadKey, body.thread === null ? null : body.externalId)
    } else {
      await ignoreInbound(tx, seq)
    }
    return null
  })
  if (answer) await platform.whisper(body, answer)
  if (isAsked) showSign(ctx, platform, body)
}

/** At once, however long the message waits for a worker. Nothing depends on it. */
function showSign(
  { log }: InboxContext,
  platform: Platform,
  { channel, thread, externalId }: InboundMessage,
): void {
  platform
    .showWorking?.(channel.externalId, thread ?? externalId, 'is thinking…')
    .catch((error: unknown) => log.debug({ err: error }, 'chat.working_not_shown'))
}

const deletedNotice =
  'This channel was removed from Bellhop, so I do not answer here. An operator can bring it back with "Refresh channels" under Settings, Workspaces.'

/** False if the message is not for us: people talk to each other in a channel. */
async function storeMessage(
  ctx: InboxContext,
  tx: Db,
  channelId: ChannelId,
  workspaceId: WorkspaceId,
  sender: Sender,
  event: InboundMessage,
  watched: WatchMatch | null,
): Promise<boolean> {
  const now = ctx.now()
  const root = event.thread ? await findMessageByExternalId(tx, channelId, event.thread) : null
  if (!event.addressed && !root && !watched) return false
  const message = await insertMessage(tx, {
    id: newId('message', now),
    channelId,
    threadId: event.thread
      ? rootOf(root ?? (await rememberRoot(tx, { channelId, now, thread: event.thread })))
      : null,
    authorKind: 'user',
    authorId: sender.user?.id ?? `${workspaceId}:${sender.id}`,
    authorName: sender.user?.name ?? sender.name,
    text: event.text,
    externalId: event.externalId,
    ...(event.repliesTo ? { repliesTo: event.repliesTo } : {}),
  })
  if (message && event.files) await keepFiles(tx, message, event.files)
  if (message && watched) await ctx.events.storeWatched(tx, { ...watched, messageId: message.id })
  else if (message) await notifyAgent(ctx, tx, message)
  return true
}

function userRole(user: Actor | null): Role | null {
  return user && user.role !== 'none' ? user.role : null
}

/** Read when the agent answers. */
async function keepFiles(
  tx: Db,
  { id: messageId, channelId }: MessageRow,
  files: readonly AttachedFile[],
): Promise<void> {
  for (const [position, file] of files.entries()) {
    const isTooMany = position >= mostFiles
    await insertFile(tx, {
      ...file,
      id: newId('file'),
      channelId,
      messageId,
      position,
      reference: isTooMany ? null : file.reference,
      reading: isTooMany
        ? { mediaType: null, text: null, problem: `only the first ${mostFiles} files are read` }
        : null,
    })
  }
}

/** Where any message can be replied to, the thread is that of the message replied to. */
function rootOf({ id, threadId }: MessageRow): MessageRow['id'] {
  return threadId ?? id
}

/** We were mentioned in a thread that others began: of its first message we know only the id. */
async function rememberRoot(
  tx: Db,
  { channelId, thread, now }: { channelId: MessageRow['channelId']; thread: string; now: Date },
): Promise<MessageRow> {
  const root = await insertMessage(tx, {
    id: newId('message', now),
    channelId,
    threadId: null,
    authorKind: 'system',
    authorId: null,
    authorName: 'Bellhop',
    text: foreignRootText,
    externalId: thread,
  })
  const found = root ?? (await findMessageByExternalId(tx, channelId, thread))
  if (!found) throw new Error('The first message of the thread could not be kept.')
  return found
}

/** A linked account acts as its user; others have the name that the platform gives. */
async function findSender(
  ctx: InboxContext,
  workspaceId: WorkspaceId,
  platform: Platform,
  { sender }: Pick<InboundMessage, 'sender'>,
): Promise<Sender> {
  const user = await findLinkedUser(ctx.db, workspaceId, sender.id)
  if (user) return { id: sender.id, name: user.name, user }
  const known = sender.name ?? (await findAuthorName(ctx.db, `${workspaceId}:${sender.id}`))
  if (known) return { id: sender.id, name: known, user: null }
  // The name is optional: a platform that does not tell it must not hold us up.
  const name = await platform.nameOf?.(sender.id).catch(() => null)
  return { id: sender.id, name: name ?? sender.id, user: null }
}

const repeatAfterMs = 10 * 60_000

/**
 * The notice for a person who addresses us and gets no answer; null if they were given one in this channel recently, so that nobody
 * makes us repeat it endlessly.
 */
async function answerOnce(
  { chatCache }: { chatCache: Cache },
  workspaceId: WorkspaceId,
  { sender, channel, addressed }: InboundMessage,
  notice: string,
): Promise<string | null> {
  if (!addressed) return null
  let isFirst = channel.kind === 'direct'
  const key = `notice ${workspaceId} ${channel.externalId} ${sender.id}`
  await chatCache.getOrFetch(key, repeatAfterMs, async () => {
    isFirst = true
  })
  return isFirst ? notice : null
}
