import type { Db } from '../../../platform/db/database.ts'
import type { MessageId } from '../../../shared/ids.ts'
import { ChatError, type RetryAfter } from '../../chat.ts'
import type { OutgoingPart, Platform } from '../../platforms/platform.ts'
import { isRefusal, PlatformError } from '../../platforms/platform-error.ts'
import { longestRequestMs } from '../../platforms/platform-fetch.ts'
import { splitMarkdown } from '../../text/split-markdown.ts'
import type { WorkspaceRow } from '../../workspaces/store.ts'
import {
  pauseWorkspace,
  recordError,
  recordFailure,
  recordPost,
  recordRevoked,
} from '../../workspaces/store.ts'
import {
  type Attempt,
  type HeldPart,
  holdPart,
  insertParts,
  isKnownPart,
  leasePart,
  listParts,
  type NewPart,
  type PartRow,
  releasePart,
  renewPart,
  savePart,
  settleMs,
} from './store.ts'

type Context = { db: Db }

/** What all parts of a message have in common. */
type Envelope = Omit<OutgoingPart, 'text' | 'key' | 'file' | 'isRated'> & {
  messageId: MessageId
  isReply: boolean
}

/** How long nobody else touches a part after its sender died: the time that its last request may still take. */
const leaseMs = longestRequestMs + settleMs
const renewEveryMs = 5000
const revokedPauseMs = 60_000

/**
 * Sends the parts that are not sent yet, in order; the rest of a long message goes into the thread of its first part. A call
 * after a failure or crash continues where it stopped. A part whose outcome is unknown is searched for, not sent again.
 */
export async function sendParts(
  ctx: Context,
  workspace: WorkspaceRow,
  platform: Platform,
  envelope: Envelope,
): Promise<string> {
  refuseWhilePaused(workspace)
  const parts = await listParts(ctx.db, envelope.messageId)
  let first = parts[0]?.externalId ?? null
  for (const part of parts) {
    if (part.externalId !== null) continue
    const { messageId, isReply, ...shared } = envelope
    const outgoing = {
      ...shared,
      thread: envelope.thread ?? first,
      text: part.text,
      isRated: isReply && part === ratedOf(parts),
      file: part.file,
      key: `${messageId}/${part.part}`,
    }
    try {
      const externalId = await sendPart(ctx, workspace, platform, part, outgoing)
      first ??= externalId
    } catch (error) {
      const isRefused = error instanceof ChatError && error.fault === 'refused'
      if (outgoing.file === null || !isRefused) throw error
      // We may not send files there: then it comes in messages, however many.
      const instead = messagesFor(part, platform.maxLength)
      const after = parts.filter((one) => one.part > part.part)
      await insertParts(ctx.db, messageId, [...instead, ...after], part.part)
      return await sendParts(ctx, workspace, platform, envelope)
    }
  }
  if (first === null) throw new Error(`Message ${envelope.messageId} has no parts.`)
  return first
}

/** The end of a reply; a table in a file is no end. */
export function ratedOf(parts: readonly PartRow[]): PartRow | undefined {
  return parts.findLast(({ file }) => !file?.endsWith('.csv'))
}

/** What a file has that may not be sent: of the whole reply what follows its beginning, which is there already; a table as code. */
function messagesFor({ text, file, part }: PartRow, maxLength: number): NewPart[] {
  const texts = file?.endsWith('.csv')
    ? splitMarkdown(`\`\`\`\n${text.trimEnd()}\n\`\`\``, maxLength)
    : splitMarkdown(text, maxLength).slice(part)
  return texts.map((one) => ({ text: one, file: null }))
}

async function sendPart(
  ctx: Context,
  workspace: WorkspaceRow,
  platform: Platform,
  part: PartRow,
  outgoing: OutgoingPart,
): Promise<string> {
  const lease = await leasePart(ctx.db, part, leaseMs)
  if (!lease.held) throw heldElsewhere(lease.until)
  const { held, attempted } = lease
  const attemptedAt = attempted?.at ?? null
  using _renewing = keepLease(ctx, held)
  try {
    const found = attempted && (await findSent(ctx, platform, outgoing, attempted))
    // A process that was suspended for longer than the lease has lost the part: another one has searched for it and sends it.
    if (!found && !(await renewPart(ctx.db, held, leaseMs))) throw heldElsewhere(0)
    const { externalId } = found || (await platform.send(outgoing))
    await savePart(ctx.db, part, externalId)
    await recordPost(ctx.db, workspace.id)
    return externalId
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    const mayBeThere = error.kind === 'uncertain' && platform.repeatableMs !== Number.POSITIVE_INFINITY
    if (mayBeThere && !platform.findSent) throw await giveUp(ctx, workspace, error)
    const retryAfter = await recordFault(ctx, workspace, error)
    // Nobody may search while the part is held, so a retry before that would be wasted.
    if (mayBeThere) throw asChatError(error, laterOf(retryAfter, await holdPart(ctx.db, held, attemptedAt)))
    await releasePart(ctx.db, held, attemptedAt)
    throw asChatError(error, retryAfter)
  }
}

function heldElsewhere(retryAfter: RetryAfter): ChatError {
  return new ChatError('unavailable', 'Another worker is posting this message.', { retryAfter })
}

/** Searching and sending may take several requests. */
function keepLease({ db }: Context, held: HeldPart): Disposable {
  // If the database is down, the lease expires, and a later search finds out what became of the part.
  const renew = () => void renewPart(db, held, leaseMs).catch(() => undefined)
  const timer = setInterval(renew, renewEveryMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

async function findSent(ctx: Context, platform: Platform, outgoing: OutgoingPart, { at, agoMs }: Attempt) {
  if (agoMs < (platform.repeatableMs ?? 0)) return null
  if (!platform.findSent)
    throw new ChatError('ambiguous', 'It was sent once, and it is unknown whether it arrived.')
  const isOther = (externalId: string) => isKnownPart(ctx.db, externalId)
  return platform.findSent(outgoing, at, isOther).catch((error: unknown) => {
    // We may not search, so it stays unknown.
    if (!isRefusal(error)) throw error
    throw new ChatError(
      'ambiguous',
      `It may have been posted, and it cannot be searched for: ${error.message}`,
      {
        cause: error,
      },
    )
  })
}

async function giveUp(ctx: Context, workspace: WorkspaceRow, cause: PlatformError): Promise<ChatError> {
  await recordFailure(ctx.db, workspace.id, cause.message)
  return new ChatError('ambiguous', `${cause.message} The message may be there or not.`, { cause })
}

/** What the failure means for the whole workspace. Returns when to try again, or null if never. */
export async function recordFault(
  ctx: Context,
  { id }: WorkspaceRow,
  error: PlatformError,
): Promise<RetryAfter | null> {
  switch (error.kind) {
    case 'rate-limited':
      return pauseWorkspace(ctx.db, id, { forMs: error.retryAfterMs ?? 1000, error: error.message })
    case 'down':
    case 'uncertain':
      return recordFailure(ctx.db, id, error.message)
    case 'revoked':
      await recordRevoked(ctx.db, id, error.message)
      return revokedPauseMs
    case 'refused':
      await recordError(ctx.db, id, error.message)
      return null
    default:
      throw new Error(`Unhandled fault ${error.kind satisfies never}`)
  }
}

export function asChatError(cause: PlatformError, retryAfter: RetryAfter | null): ChatError {
  return retryAfter === null
    ? new ChatError('refused', cause.message, { cause })
    : new ChatError('unavailable', cause.message, { retryAfter, cause })
}

export function refuseWhilePaused({ name, pausedUntil, revokedAt, lastError }: WorkspaceRow): void {
  if (revokedAt) {
    throw new ChatError(
      'unavailable',
      `${name} no longer accepts our token. An admin must connect it again.`,
      {
        retryAfter: revokedPauseMs,
      },
    )
  }
  if (pausedUntil) {
    throw new ChatError('unavailable', `${name} is paused: ${lastError ?? 'it failed a moment ago.'}`, {
      retryAfter: pausedUntil,
    })
  }
}

function laterOf(a: RetryAfter | null, b: Date | null): RetryAfter | null {
  return a instanceof Date && b !== null && a < b ? b : a
}
