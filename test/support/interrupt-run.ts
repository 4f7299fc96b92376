import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { sql } from 'kysely'
import { sweepRuns } from '../../src/runs/loop/sweep-runs.ts'
import { sceneOf, shopTools, startShop } from './start-shop.ts'
import { startTestApp } from './start-test-app.ts'
import { startStubAnthropic } from './stub-anthropic.ts'
import { createTestDatabase } from './test-database.ts'
import { until } from './until.ts'

/** A write that needs no approval, so that only the journal keeps it from being sent twice. */
export const autoTools = shopTools.map((tool) =>
  tool.name === 'refund' ? { ...tool, permission: 'auto' } : tool,
)

/**
 * An event whose worker is hit by a signal at a point of its run. `SIGKILL` ends it; `SIGSTOP` suspends it, so that it resumes
 * later and believes that it still owns the run. Another worker finishes the run. Returns what was seen outside.
 */
export async function interruptRun(point: string, signal: 'SIGKILL' | 'SIGSTOP') {
  await using stack = new AsyncDisposableStack()
  const { url: databaseUrl } = stack.use(await createTestDatabase())
  let strike: (() => void) | null = null
  const strikeAt = (place: string): boolean => {
    if (place !== point || !strike) return false
    strike()
    strike = null
    return true
  }
  const model = stack.use(
    await startStubAnthropic(({ body }) => {
      if (strikeAt('model.asked')) return { hang: true }
      if (body.includes('tool_result')) return { text: 'Paid back.' }
      const input = { id: 'A-1' }
      return {
        calls: [
          { name: 'shop__refund', input },
          { name: 'shop__get_order', input },
        ],
      }
    }),
  )
  // This app accepts events and works on none of them.
  const shop = stack.use(
    await startShop({
      databaseUrl,
      tools: autoTools,
      env: { ...model.env, ROLE: 'web' },
      answer({ method }, response) {
        // A worker that dies during a write never learns its outcome.
        if (method === 'POST' && strikeAt('tool.asked')) return
        response.setHeader('content-type', 'application/json').end('{"ok":true}')
      },
    }),
  )
  const env = { ...model.env, ROLE: 'worker', EGRESS_PRIVATE_EXCEPTIONS: shop.target.pair }
  const victim = stack.use(startVictim([databaseUrl, point, signal, JSON.stringify(env)]))
  await victim.saw('ready')
  strike = () => {
    victim.child.kill(signal)
    victim.lines.push('struck')
  }

  const webhook = await shop.createWebhook()
  const { runId } = await shop.sendEvent(webhook)
  await victim.saw('struck')
  const heir = stack.use(await startTestApp({ databaseUrl, env }))
  // What took the lease's six seconds, and then as long until somebody looks after forgotten runs.
  const { db } = heir.app.ctx
  await sql`update runs set lease_until = now() - interval '1 minute' where id = ${runId}`.execute(db)
  await sweepRuns(heir.app.ctx)
  const run = await sceneOf(shop.app).endedRun(runId)
  if (signal === 'SIGSTOP') {
    victim.child.kill('SIGCONT')
    // It finds out at its next commit, and goes on to other work.
    const second = await shop.sendEvent(webhook)
    await shop.endedRun(second.runId)
  }
  await until(() => heir.app.ctx.lifecycle.phase !== 'stopping')
  const replies = (await shop.replies()).filter((message) => message.runId === runId)
  const writes =
    shop.target.seen.filter(({ method }) => method === 'POST').length - (signal === 'SIGSTOP' ? 1 : 0)
  return { run: await shop.readRun(runId), before: run, replies, writes, modelCalls: model.requests.length }
}

/** A worker in its own process; see faulty-app.ts. */
export function startVictim(args: string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'faulty-app.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const saw = (line: string) => until(() => lines.includes(line))
  return { child, saw, lines, [Symbol.asyncDispose]: () => end(child) }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
