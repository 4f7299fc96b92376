import type { Trigger } from '../../../events/inbox/find-trigger.ts'
import { newId, type RehearsalId, type RunId } from '../../../shared/ids.ts'
import { findRun, type NewRun } from '../../store/run-rows.ts'
import type { RunContext } from '../run-context.ts'
import type { ToolTexts } from '../tool-calls/tool-set.ts'
import { readRunSettings } from './start-run.ts'

type Rehearsed = {
  rehearsalId: RehearsalId
  /** The run that really handled the event. */
  before: RunId | null
  recordedReads: boolean
  instructions: string | undefined
  toolTexts: ToolTexts | undefined
}

/**
 * A dry run that differs from the one before in nothing but the change: it is told the same time and, as long as its rights are the
 * same, has the same delimiter, so that a prompt without a change is the same to the byte.
 */
export async function readRehearsedRun(
  ctx: RunContext,
  trigger: Trigger,
  { rehearsalId, before, recordedReads, instructions, toolTexts }: Rehearsed,
): Promise<NewRun> {
  const now = trigger.event.receivedAt
  const settings = await readRunSettings(ctx, trigger, { instructions, toolTexts, now })
  const first = before && (await findRun(ctx.db, before))
  const isLike =
    first &&
    first.turnNote !== '' &&
    first.ceiling === settings.ceiling &&
    first.readsAcross === settings.readsAcross
  return {
    ...settings,
    ...(isLike ? { delimiter: first.delimiter, turnNote: first.turnNote } : {}),
    id: newId('run', ctx.now()),
    trigger: 'replay',
    replayOf: before,
    dry: true,
    recordedReads,
    rehearsalId,
    askedAt: ctx.now(),
    channelId: trigger.source.channelId,
  }
}
