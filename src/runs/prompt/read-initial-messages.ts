import { findTrigger, type Trigger } from '../../events/inbox/find-trigger.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Run } from '../store/run-rows.ts'
import { composeEvent, textOfEvents } from './compose-prompt.ts'
import { composeThread, type InitialMessages } from './compose-thread.ts'
import { type PromptModel, promptBudget } from './prompt-budget.ts'

type Context = { db: Db }

/** Composed anew from stored data whenever the run is taken up, so that the event is stored only once. */
export async function readInitialMessages(
  ctx: Context,
  run: Run,
  model: PromptModel,
  known: Trigger | null,
): Promise<InitialMessages> {
  if (run.trigger === 'chat' || run.threadId !== null) return await composeThread(ctx, run, model)
  const trigger = known ?? (run.eventId && (await findTrigger(ctx.db, run.eventId)))
  if (!trigger) {
    return {
      messages: [{ role: 'user', content: 'The event of this run has been deleted. Say so in your reply.' }],
      eventText: null,
      earlierRunIds: [],
    }
  }
  const { source, event } = trigger
  return {
    messages: [await composeEvent({ run, sourceName: source.name, event, maxBytes: promptBudget(model) })],
    eventText: textOfEvents(event),
    earlierRunIds: [],
  }
}
