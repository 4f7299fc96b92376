import { newId, type WorkspaceId } from '../../ids.ts'
import type { Jobs } from '../../jobs.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import type { Queue } from '../../platform/queue/queue.ts'
import { problem } from '../../problems.ts'
import { upsertExternalChannel } from '../channels/store.ts'
import type { Memory } from '../memory.ts'
import type { InboundEvent, Received } from '../platform.ts'
import { isComplete } from '../workspaces/contract.ts'
import { openCredentials, readPlatformRequest } from '../workspaces/open-platform.ts'
import { findWorkspace, noteEvent, noteRevoked } from '../workspaces/store.ts'
import { insertInbound } from './store.ts'

type Context = {
  db: Db
  queue: Queue<Jobs>
  vault: Vault
  egress: Pick<Egress, 'request'>
  chatMemory: Memory
  publicUrl: string
  now: () => Date
}

type Request = { platform: string; workspaceId: WorkspaceId; body: Buffer; headers: Headers }

/** Verify, store, answer: the platform waits three seconds at most, and what it was told is ours is not lost any more. */
export async function receiveRequest(ctx: Context, request: Request): Promise<Received['answer']> {
  const workspace = await findWorkspace(ctx.db, request.workspaceId)
  if (workspace?.platform !== request.platform || workspace.platform === 'built-in') {
    throw problem('not-found', 'There is no such workspace.')
  }
  const credentials = openCredentials(ctx, workspace)
  if (!isComplete(workspace.platform, { ...workspace, credentials })) return answerDraft(request)
  const received = await readPlatformRequest(
    ctx,
    { ...workspace, credentials },
    { body: request.body, headers: request.headers, now: ctx.now() },
  )
  if (received.isRevoked) {
    await noteRevoked(ctx.db, workspace.id, 'The app was removed, or its token was revoked.')
  }
  await keep(ctx, workspace.id, received)
  return received.answer
}

/** The event and the job that reads it are one transaction; a repeated delivery makes neither. */
async function keep(
  ctx: Context,
  workspaceId: WorkspaceId,
  { events, channels = [] }: Received,
): Promise<void> {
  await noteEvent(ctx.db, workspaceId)
  if (events.length === 0 && channels.length === 0) return
  await ctx.db.transaction().execute(async (tx) => {
    for (const { externalId, name } of channels) {
      const id = newId('channel', ctx.now())
      await upsertExternalChannel(tx, { id, workspaceId, externalId, name, kind: 'channel' })
    }
    for (const event of events) {
      const threadKey = threadKeyOf(event)
      if (await insertInbound(tx, workspaceId, threadKey, event)) {
        await ctx.queue.send(tx, 'chat.inbound', { workspaceId, threadKey })
      }
    }
  })
}

/** What must be read in order: the messages of one thread. A message at the top level begins one. */
function threadKeyOf(event: InboundEvent): string {
  if (event.kind === 'click') return event.key
  return event.order ?? `${event.channel.externalId}:${event.thread ?? event.externalId}`
}

/** Slack asks for this while the app is being made, before anybody can know its signing secret. */
function answerDraft({ body }: Request): Received['answer'] {
  const challenge =
    body.length < 2000 && body.toString('utf8').match(/"challenge"\s*:\s*"([\w-]{1,200})"/)?.[1]
  if (!challenge) throw problem('not-found', 'This workspace is not connected yet.')
  return { status: 200, body: { challenge } }
}
