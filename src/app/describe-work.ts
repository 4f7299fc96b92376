import { listApprovals } from '../approvals/store.ts'
import type { Db } from '../platform/db/database.ts'
import { listRuns } from '../runs/history/list-runs.ts'
import type { Settings } from '../settings/open-settings.ts'
import type { Actor } from '../shared/actor.ts'
import { toolLabel } from '../shared/tool-label.ts'

type Context = { db: Db; publicUrl: string; settings: Pick<Settings, 'read'> }

const shown = 10

/** The answer to `/bellhop status` and `/bellhop approvals`: what this person would see in the dashboard, in a few lines. */
export async function describeWork(
  ctx: Context,
  name: 'status' | 'approvals',
  actor: Actor,
): Promise<string> {
  const pending = await listApprovals(ctx.db, actor, { status: 'pending', order: 'oldest', limit: shown })
  if (name === 'approvals') {
    if (pending.length === 0) return 'Nothing waits for a decision.'
    const lines = pending
      .slice(0, shown)
      .map(({ id, tool }) => `• ${toolLabel(tool)}: ${ctx.publicUrl}/approvals/${id}`)
    const more = pending.length > shown ? [`More: ${ctx.publicUrl}/approvals`] : []
    return ['Waiting for a decision:', ...lines, ...more].join('\n')
  }
  const { agent } = await ctx.settings.read()
  const { items } = await listRuns(ctx, actor, { status: 'running', limit: shown })
  const count = (of: readonly unknown[]) => (of.length > shown ? `more than ${shown}` : of.length)
  return [
    agent.paused ? `${agent.name} is paused: nothing is started.` : `${agent.name} is active.`,
    `Runs at work: ${count(items)}. Waiting for a decision: ${count(pending)}.`,
    `${ctx.publicUrl}/runs`,
  ].join('\n')
}
