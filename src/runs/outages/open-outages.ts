import type { HeldModels } from '../../events/inbox/move-events.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Notifications } from '../../platform/db/notifications.ts'
import { notifyInTransaction } from '../../platform/db/notify.ts'
import { remember } from '../../platform/remember.ts'
import { chooseModel, type ModelContext } from '../../settings/choose-model.ts'
import type { ChannelId } from '../../shared/ids.ts'
import {
  claimProbes,
  countFailedRun,
  deleteOutage,
  type EndedOutage,
  listOutages,
  type ModelName,
  type Outage,
  runsBeforeHold,
  writeFallback,
} from './store.ts'

export type Outages = {
  list(): Promise<Outage[]>
  /** For the dispatcher: events that need these models wait. */
  held(): Promise<HeldModels>
  /** Whether the fallback is to be asked instead of this model. */
  usesFallback(model: ModelName): Promise<boolean>
  /** The fallback takes over for a while. Returns when the outage began. */
  beginFallback(model: ModelName, problem: string): Promise<Date>
  /** A run could not be finished for this model. After a few in a row, events that need it are held. */
  countFailure(
    model: ModelName,
    problem: string,
    channelId: ChannelId | null,
  ): Promise<'counted' | 'begins' | 'held'>
  /** Models that are held and were not asked for a while. Each is given to one process. */
  claimProbes(): Promise<ModelName[]>
  /**
   * The model answered: what was held goes on with `wake`, in the same transaction. Null if no outage is known, or, unless `asked` on
   * purpose, if its fallback still has its time.
   */
  end(model: ModelName, wake: (tx: Db) => Promise<void>, asked?: 'on-purpose'): Promise<EndedOutage | null>
}

const changed = 'bellhop_outages'

/** Every step of every run and every dispatch asks for them, so they are cached until one changes. Usually there are none. */
export async function openOutages(
  ctx: ModelContext & { db: Db; notifications: Notifications },
): Promise<Outages> {
  const { db } = ctx
  const { read: list, forget } = remember(() => listOutages(db))
  await ctx.notifications.listen(changed, forget)

  async function find({ provider, name }: ModelName): Promise<Outage | undefined> {
    return (await list()).find((outage) => outage.provider === provider && outage.name === name)
  }

  async function tellAll(): Promise<void> {
    await notifyInTransaction(db, changed, '')
    forget()
  }

  return {
    list,
    async held() {
      const held = (await list()).filter(({ heldAt }) => heldAt !== null)
      if (held.length === 0) return { usual: false, named: [] }
      const { choice } = await chooseModel(ctx)
      return {
        usual: held.some(({ provider, name }) => provider === choice.provider && name === choice.name),
        named: held.map(({ provider, name }) => `${provider} ${name}`),
      }
    },
    async usesFallback(model) {
      const outage = await find(model)
      return outage !== undefined && performance.now() < outage.fallbackEndsAt
    },
    async beginFallback(model, problem) {
      const since = await writeFallback(db, model, problem)
      await tellAll()
      return since
    },
    async countFailure(model, problem, channelId) {
      const { failedRuns, held } = await countFailedRun(db, model, problem, channelId)
      await tellAll()
      if (!held) return 'counted'
      return failedRuns === runsBeforeHold ? 'begins' : 'held'
    },
    claimProbes: () => claimProbes(db),
    async end(model, wake, asked) {
      if (!(await find(model))) return null
      const ended = await db.transaction().execute(async (tx) => {
        const outage = await deleteOutage(tx, model, asked === 'on-purpose')
        if (outage) await notifyInTransaction(tx, changed, '')
        if (outage?.heldAt) await wake(tx)
        return outage
      })
      if (ended) forget()
      return ended
    },
  }
}
