import { type Conversation, findConversation } from '../../../chat/messages/find-conversation.ts'
import { isAddressed, isBareMention, mentionsAgent } from '../../../chat/messages/is-addressed.ts'
import type { MessageRow } from '../../../chat/store.ts'
import { forgetRepliesTo } from '../../../chat/threads/store.ts'
import { findOwnModels } from '../../../events/inbox/find-trigger.ts'
import { type Chosen, chooseModel, chooseNamed } from '../../../settings/choose-model.ts'
import { type MessageId, newId, type SourceId } from '../../../shared/ids.ts'
import { narrowScope } from '../../../tools/gate/narrow-scope.ts'
import { listWaitingCalls } from '../../../tools/waiting-calls.ts'
import { composeSystem } from '../../prompt/compose-prompt.ts'
import { newDelimiter } from '../../prompt/delimiter.ts'
import { fitThread, type ThreadContext } from '../../prompt/thread-context.ts'
import { composeTurnNote } from '../../prompt/turn-note.ts'
import { findRun, findRunOfMessage, insertRun, type NewRun } from '../../store/run-rows.ts'
import { findReadUntil } from '../../store/thread-contexts.ts'
import { advanceRun, continueRun } from '../advance-run.ts'
import type { RunContext } from '../run-context.ts'

/** The job: somebody wrote. If the agent is addressed, it answers in the thread. If the job runs twice, it continues the same run. */
export async function startChatRun(
  ctx: RunContext,
  messageId: MessageId,
  signal: AbortSignal,
): Promise<void> {
  const [conversation, settings] = await Promise.all([
    findConversation(ctx.db, messageId),
    ctx.settings.read(),
  ])
  if (!conversation || !isAddressed(conversation, settings.agent.name)) return
  const brief = await readChatBrief(ctx, conversation)
  const takenAt = performance.now()
  const run = await insertRun(ctx.db, brief)
  if (run) {
    await forgetRepliesTo(ctx.db, messageId)
    return await continueRun(ctx, run, { isNew: true, trigger: null, takenAt }, signal)
  }
  const known = await findRunOfMessage(ctx.db, messageId)
  if (known) await advanceRun(ctx, known, signal)
}

async function readChatBrief(
  ctx: RunContext,
  { message, channel, author, thread }: Conversation,
): Promise<NewRun> {
  const began = thread.find(({ runId, authorKind }) => runId !== null && authorKind === 'agent')
  const [settings, first] = await Promise.all([
    ctx.settings.read(),
    began?.runId ? findRun(ctx.db, began.runId) : null,
  ])
  // A thread under the reply of a webhook or schedule keeps that run's prompt and rights, except those taken away since: its event is still in context.
  const sourceRun = first?.sourceId ? first : null
  const source = sourceRun && {
    kind: sourceRun.requester.kind,
    name: sourceRun.requester.name,
    prompt: sourceRun.prompt,
  }
  const scopeNow = sourceRun?.sourceId
    ? await ctx.rights.scopeOf(ctx.db, { sourceId: sourceRun.sourceId })
    : null
  const begun = sourceRun ?? {
    ceiling: null,
    connectorIds: channel.connectorIds,
    readsAcross: 'all' as const,
  }
  const { ceiling, connectorIds, readsAcross } = scopeNow ? narrowScope(begun, scopeNow) : begun
  const [set, chosen] = await Promise.all([
    ctx.toolSets.current(connectorIds),
    chooseFor(ctx, sourceRun?.sourceId ?? null),
  ])
  const { choice } = chosen
  const threadContext = await readContext(ctx, message, chosen)
  await ctx.chat.fetchFiles(channel.id, message.id)
  // Without a mention, people in the thread may be talking to each other.
  const delimiter = newDelimiter()
  const maySkip = !mentionsAgent({ message, channel }, settings.agent.name)
  return {
    id: newId('run', ctx.now()),
    trigger: 'chat',
    sourceId: null,
    eventId: null,
    messageId: message.id,
    replayOf: null,
    channelId: channel.id,
    threadId: message.threadId ?? message.id,
    threadSourceId: sourceRun?.sourceId ?? null,
    dry: false,
    requester: author
      ? { kind: 'user', id: author.id, name: author.name, isAdmin: author.role === 'admin' }
      : { kind: 'guest', id: message.authorId ?? message.id, name: message.authorName },
    ceiling,
    connectorIds,
    readsAcross,
    allowSilence: maySkip,
    prompt: message.text,
    system: composeSystem({
      agent: settings.agent,
      source,
      channelName: channel.platform === 'built-in' ? channel.name : null,
      allowSilence: sourceRun?.allowSilence ?? false,
    }),
    modelProvider: choice.provider,
    modelName: choice.name,
    delimiter,
    turnNote: composeTurnNote({
      now: ctx.now(),
      timeZone: settings.timeZone,
      asker: author ?? { name: message.authorName, role: null },
      maySkip,
      readsAcross,
      ceiling,
      isBare: message.threadId !== null && isBareMention(message.text),
      delimiter,
      waiting: await listWaitingCalls(ctx.db, message.threadId ?? message.id),
    }),
    toolSet: set.digest,
    settingsRevision: settings.revision,
    askedAt: message.createdAt,
    threadContext,
  }
}

/** A quarter of the context window at most, at three bytes per token. What came before an earlier turn is in that turn. */
async function readContext(
  ctx: RunContext,
  message: MessageRow,
  chosen: Chosen,
): Promise<ThreadContext | null> {
  const after = message.threadId && (await findReadUntil(ctx.db, message.threadId))
  const read = await ctx.chat.readThread(message.channelId, message.id, after)
  if (!read || (read.messages.length === 0 && read.problem === null && after === read.until)) return null
  const { contextTokens } = await ctx.models.open(chosen)
  return fitThread(read, (contextTokens / 4) * 3)
}

/** Threads of a webhook or schedule also use its own model. */
async function chooseFor(ctx: RunContext, sourceId: SourceId | null): Promise<Chosen> {
  const named = sourceId && (await findOwnModels(ctx.db, sourceId))?.model
  const own = named && (await chooseNamed(ctx, named))
  return own ?? (await chooseModel(ctx))
}
