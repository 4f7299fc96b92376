import { Problem } from '../../../http/problems.ts'
import type { Db } from '../../../platform/db/database.ts'
import type { Log } from '../../../platform/log.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Audit } from '../../../shared/audit.ts'
import type { WorkspaceId } from '../../../shared/ids.ts'
import { findExternalChannel } from '../../channels/store.ts'
import type { ChatCommands } from '../../chat.ts'
import { findLinkedUser } from '../../identities/store.ts'
import type { ApprovalChoice } from '../../messages/read-choice.ts'
import type { InboundClick, Platform } from '../../platforms/platform.ts'
import { PlatformError } from '../../platforms/platform-error.ts'

type Context = {
  db: Db
  log: Log
  audit: Audit
  publicUrl: string
  commands: Pick<ChatCommands, 'decide' | 'cancel'>
}

/**
 * The click counts with the current role of the linked user, and only where the card was posted. Somebody who may not decide is
 * told so privately; the card stays as it is.
 */
export async function decideByClick(
  ctx: Context,
  workspaceId: WorkspaceId,
  platform: Platform,
  click: InboundClick,
): Promise<void> {
  const actor = await findLinkedUser(ctx.db, workspaceId, click.sender.id)
  const channelId = await findExternalChannel(ctx.db, workspaceId, click.channel.externalId)
  const refusal = actor
    ? await act(ctx, actor, click.decision === 'cancel' ? click.runId : click.approvalId, () =>
        click.decision === 'cancel'
          ? ctx.commands.cancel({ runId: click.runId, channelId, actor })
          : ctx.commands.decide({ ...choiceOf(click), channelId, reason: null, actor }),
      )
    : `Bellhop does not know who you are here. Open ${ctx.publicUrl}/settings, get a link code under "Chat accounts", and send it to me in a direct message. Then press the button again.`
  try {
    if (refusal) await platform.whisper(click, refusal)
    else if (click.token) await platform.acceptClick?.(click.token)
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    ctx.log.warn({ err: error, workspaceId }, 'chat.hint_not_shown')
  }
}

function choiceOf({ approvalId, decision, edition }: ApprovalChoice): ApprovalChoice {
  return { approvalId, decision, edition }
}

/** What to tell the person who clicked; null if it is done. */
async function act(
  ctx: Context,
  actor: Actor,
  subject: string,
  click: () => Promise<unknown>,
): Promise<string | null> {
  try {
    await click()
    return null
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.status === 403) {
      await ctx.audit(ctx.db, { actor, action: 'access.denied', subject, detail: { because: error.message } })
    }
    return error.message
  }
}
