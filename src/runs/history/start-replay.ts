import { findTrigger } from '../../events/inbox/find-trigger.ts'
import { invalidField, problem } from '../../http/problems.ts'
import { chooseNamed } from '../../settings/choose-model.ts'
import type { Caller } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import { type EventId, newId, type RunId } from '../../shared/ids.ts'
import type { RefuseMissingConnectors } from '../../shared/ports/connector-ids.ts'
import type { ReplayRequest } from '../contract.ts'
import type { RunContext } from '../loop/run-context.ts'
import { findThreadOf, readRunSettings } from '../loop/start/start-run.ts'
import { insertQueuedRun } from '../store/run-rows.ts'

export type ReplayContext = RunContext & {
  audit: Audit
  connectors: { refuseMissing: RefuseMissingConnectors }
}

/** Runs a stored event again, as a new run. If a draft is tried, nothing outside changes unless requested. */
export async function startReplay(
  ctx: ReplayContext,
  caller: Caller,
  eventId: EventId,
  asked: ReplayRequest,
): Promise<RunId> {
  const trigger = await findTrigger(ctx.db, eventId)
  if (!trigger) throw problem('not-found', 'There is no such event.')
  if (trigger.event.body === null) throw erased()
  if (asked.model && !(await chooseNamed(ctx, asked.model))) {
    const detail = `There is no account for ${asked.model.provider}. Choose the provider of Settings → Model, or offline.`
    throw problem('model-unavailable', detail, { errors: [{ pointer: '/model/provider', detail }] })
  }
  const { dryRun, reads, ...draft } = asked
  if (draft.connectorIds)
    await ctx.connectors.refuseMissing(ctx.db, draft.connectorIds, trigger.source.connectorIds)
  const dry = dryRun ?? (reads === 'recorded' || Object.values(draft).some((value) => value !== undefined))
  const recordedReads = reads === 'recorded'
  if (recordedReads && !dry) {
    throw invalidField(
      '/reads',
      'Only a dry run reads from the recording. Leave dryRun out, or set it to true.',
    )
  }
  const threadId = dry ? null : await findThreadOf(ctx, trigger)
  const settings = await readRunSettings(ctx, trigger, { ...draft, threadId })
  const id = newId('run', ctx.now())
  await ctx.db.transaction().execute(async (tx) => {
    const inserted = await insertQueuedRun(tx, {
      ...settings,
      id,
      trigger: 'replay',
      replayOf: trigger.event.runId,
      dry,
      recordedReads,
      askedAt: ctx.now(),
      channelId: trigger.source.channelId,
      threadId,
    })
    if (!inserted) throw erased()
    await ctx.queue.send(tx, 'run.advance', { runId: id }, { key: id })
    await ctx.audit(tx, {
      ...caller,
      action: 'event.replayed',
      subject: eventId,
      detail: { runId: id, dryRun: dry },
    })
  })
  return id
}

function erased() {
  return problem('body-erased', 'The body was erased, so it cannot be replayed.')
}
