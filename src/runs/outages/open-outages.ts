import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Notifications } from '../../platform/db/notifications.ts'
import { notifyInTransaction } from '../../platform/db/notify.ts'

/** A model as runs and webhooks name it. */
export type ModelName = { provider: string; name: string }

export type Outages = {
  /** Whether the fallback is to be asked instead of this model. */
  usesFallback(model: ModelName): Promise<boolean>
  /** The fallback takes over for a while. True if this begins an outage, so that it is announced once. */
  begin(model: ModelName, problem: string): Promise<boolean>
  /** The model answered. Does nothing unless an outage is known and the model was asked again on purpose. */
  end(model: ModelName): Promise<void>
}

type Outage = ModelName & {
  /** By this process's steady clock. */
  fallbackEndsAt: number
}

const changed = 'bellhop_outages'

/** Every step of every run asks for them, so they are cached until one begins or ends. Usually there are none. */
export async function openOutages(ctx: { db: Db; notifications: Notifications }): Promise<Outages> {
  let known: Promise<Outage[]> | null = null
  const forget = () => {
    known = null
  }
  await ctx.notifications.listen(changed, forget)

  async function find({ provider, name }: ModelName): Promise<Outage | undefined> {
    known ??= readOutages(ctx.db)
    const asked = known
    try {
      return (await asked).find((outage) => outage.provider === provider && outage.name === name)
    } catch (error) {
      if (known === asked) forget()
      throw error
    }
  }

  return {
    async usesFallback(model) {
      const outage = await find(model)
      return outage !== undefined && performance.now() < outage.fallbackEndsAt
    },
    async begin({ provider, name }, problem) {
      const { rows } = await sql<{ isNew: boolean }>`
        insert into model_outages (provider, name, problem, fallback_until)
        values (${provider}, ${name}, ${problem}, ${fallbackEnd})
        on conflict (provider, name) do update set problem = excluded.problem, fallback_until = excluded.fallback_until
        returning xmax = 0 as is_new`.execute(ctx.db)
      await notifyInTransaction(ctx.db, changed, '')
      forget()
      return rows[0]?.isNew ?? false
    },
    async end(model) {
      if (!(await find(model))) return
      const { provider, name } = model
      // Calls that were under way when the outage began do not end it.
      const { rows } = await sql`
        delete from model_outages
        where provider = ${provider} and name = ${name} and fallback_until < now() returning name`.execute(
        ctx.db,
      )
      if (rows.length === 0) return
      await notifyInTransaction(ctx.db, changed, '')
      forget()
    },
  }
}

/** The model is asked again after this. */
const fallbackEnd = sql`now() + interval '5 minutes'`

async function readOutages(db: Db): Promise<Outage[]> {
  const { rows } = await sql<ModelName & { leftMs: number }>`
    select provider, name, 1000 * extract(epoch from coalesce(fallback_until, now()) - now())::float8 as left_ms
    from model_outages`.execute(db)
  const now = performance.now()
  return rows.map(({ leftMs, ...model }) => ({ ...model, fallbackEndsAt: now + leftMs }))
}
