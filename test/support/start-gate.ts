import { sql } from 'kysely'
import type { ApprovalShape } from '../../src/approvals/contract.ts'
import type { Db } from '../../src/platform/db/database.ts'
import { newId, type ToolCallId } from '../../src/shared/ids.ts'
import { callTool } from '../../src/tools/call-tool.ts'
import type { GateCall, Outcome } from '../../src/tools/gate/gate-call.ts'
import { removeConnectors } from './start-shop.ts'
import { startTarget } from './start-target.ts'
import { startTestApp, type TestApp } from './start-test-app.ts'

export const admin = { kind: 'user', id: 'usr_admin', name: 'Ada', isAdmin: true } as const
export const member = { kind: 'user', id: 'usr_member', name: 'Max', isAdmin: false } as const
export const hook = { kind: 'webhook', id: 'hook_1', name: 'Orders' } as const

/** The people who ask in tests: the gate looks up their rights. */
export async function addPeople(db: Db): Promise<void> {
  for (const { id, name, isAdmin } of [admin, member]) {
    await sql`
      insert into users (id, email, name, role)
      values (${id}, ${`${id}@example.com`}, ${name}, ${isAdmin ? 'admin' : 'member'})
      on conflict do nothing`.execute(db)
  }
}

const order = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }

type Answer = Parameters<typeof startTarget>[0]

/** A whole app with one shop connector, whose API records its requests, and direct calls of the gate. */
export async function startGate(options: Parameters<typeof startTestApp>[0] = {}, answer?: Answer) {
  await using stack = new AsyncDisposableStack()
  const target = stack.use(await startTarget(answer))
  const env = { EGRESS_PRIVATE_EXCEPTIONS: target.pair, ...options.env }
  const app = stack.use(await startTestApp({ ...options, env }))
  const gate = await openGate(app, target)
  const opened = stack.move()
  return { ...gate, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** The same on an app that the tests of a file share, with a shop of its own until the end of the test. */
export async function startGateOn(app: TestApp, answer?: Answer) {
  await using stack = new AsyncDisposableStack()
  const target = stack.use(await startTarget(answer))
  stack.defer(() => removeConnectors(app))
  const gate = await openGate(app, target)
  const opened = stack.move()
  return { ...gate, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

async function openGate(app: TestApp, target: Awaited<ReturnType<typeof startTarget>>) {
  const created = await app.api<{ id: string }>('POST', '/api/v1/connectors', {
    type: 'http',
    name: 'Shop',
    baseUrl: target.origin,
    authType: 'bearer',
    authValue: 'planted-shop-token',
    tools: [
      {
        name: 'get_order',
        description: 'Reads',
        method: 'GET',
        path: '/orders/{id}',
        capability: 'read',
        inputSchema: order,
      },
      {
        name: 'refund',
        description: 'Pays back',
        method: 'POST',
        path: '/orders/{id}/refund',
        capability: 'write',
        inputSchema: { ...order, properties: { ...order.properties, amount: { type: 'number' } } },
      },
      {
        name: 'delete_order',
        description: 'Deletes',
        method: 'DELETE',
        path: '/orders/{id}',
        capability: 'destructive',
        inputSchema: order,
      },
    ],
  })
  if (created.status !== 201) throw new Error(created.text)
  const { ctx } = app.app
  await addPeople(ctx.db)
  const call = (
    asked: Partial<GateCall> & { name: string },
    callId: ToolCallId = newId('toolCall'),
    context: Parameters<typeof callTool>[0] = ctx,
  ): Promise<Outcome> =>
    callTool(
      context,
      {
        callId,
        runId: 'run_test',
        input: { id: 'A-1' },
        requester: admin,
        limitedBy: null,
        ceiling: null,
        connectorIds: null,
        readsAcross: 'all',
        conversation: [],
        alongside: [],
        channelId: 'chan_general',
        threadId: null,
        ...asked,
      },
      new AbortController().signal,
    )
  return {
    app,
    ctx,
    target,
    connectorId: created.body.id,
    call,
    /** Asks, and returns the pending approval. */
    async ask(asked: Partial<GateCall> & { name: string }) {
      const callId = newId('toolCall')
      const outcome = await call(asked, callId)
      if (outcome.kind !== 'waiting') throw new Error(`It did not wait: ${JSON.stringify(outcome)}`)
      return { callId, approval: await app.get<ApprovalShape>(`/api/v1/approvals/${outcome.approvalId}`) }
    },
    decide: (id: string, verdict: 'approve' | 'deny', reason?: string) =>
      app.api<{ type: string; detail: string }>(
        'POST',
        `/api/v1/approvals/${id}/${verdict}`,
        reason ? { reason } : {},
      ),
  }
}
