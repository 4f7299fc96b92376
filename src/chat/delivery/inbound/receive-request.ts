import { problem } from '../../../http/problems.ts'
import type { JobQueue } from '../../../jobs.ts'
import type { Db } from '../../../platform/db/database.ts'
import type { WorkspaceId } from '../../../shared/ids.ts'
import { connectionOf } from '../../workspaces/contract.ts'
import { openWorkspace, type PlatformContext, readPlatformRequest } from '../../workspaces/open-platform.ts'
import { findWorkspace, recordRevoked } from '../../workspaces/store.ts'
import { answerCommand, type CommandContext } from './answer-command.ts'
import { storeEvents } from './store-events.ts'

export type InboundContext = PlatformContext & CommandContext & { db: Db; queue: JobQueue; now: () => Date }

type Request = { platform: string; workspaceId: WorkspaceId; body: Buffer; headers: Headers }

/** Verifies, stores, answers. Platforms wait three seconds at most, and what we have acknowledged must not be lost. */
export async function receiveRequest(ctx: InboundContext, request: Request): Promise<unknown> {
  const workspace = await findWorkspace(ctx.db, request.workspaceId)
  if (workspace?.platform !== request.platform || workspace.platform === 'built-in') {
    throw problem('not-found', 'There is no such workspace.')
  }
  const opened = openWorkspace(ctx, workspace)
  if (!opened.isWhole) return answerDraft(request)
  if (connectionOf(workspace.platform, opened) === 'socket' && workspace.platform === 'slack')
    throw problem('not-found', 'This workspace receives its events over Socket Mode.')
  const { body, headers } = request
  const received = await readPlatformRequest(ctx, opened, { body, headers, now: ctx.now() })
  if (received.isRevoked) {
    await recordRevoked(ctx.db, workspace.id, 'The app was removed, or its token was revoked.')
  }
  await ctx.db.transaction().execute((tx) => storeEvents(ctx, tx, workspace.id, received))
  if (!received.command) return received.answer
  return { response_type: 'ephemeral', text: await answerCommand(ctx, workspace.id, received.command) }
}

/** Slack asks for this while the app is being created, before anybody can know its signing secret. */
function answerDraft({ body }: Request): unknown {
  const challenge =
    body.length < 2000 && body.toString('utf8').match(/"challenge"\s*:\s*"([\w-]{1,200})"/)?.[1]
  if (!challenge) throw problem('not-found', 'This workspace is not connected yet.')
  return { challenge }
}
