import type { Db } from '../platform/db/database.ts'
import { systemActor } from '../shared/actor.ts'
import type { Audit } from '../shared/audit.ts'
import { readSettings } from './open-settings.ts'
import { lockGroups, writeGroup } from './store.ts'

/** Bellhop pauses the agent by itself, until an admin resumes it. */
export async function pauseAgent(
  { db, audit }: { db: Db; audit: Audit },
  pauseReason: string,
): Promise<void> {
  await lockGroups(db)
  const { agent } = await readSettings(db)
  const value = { ...agent, paused: true, pauseReason }
  await writeGroup(db, 'agent', { value, secret: null }, systemActor.id)
  const detail = { groups: ['agent'], paused: true, pauseReason }
  await audit(db, { actor: systemActor, action: 'settings.changed', detail })
}
