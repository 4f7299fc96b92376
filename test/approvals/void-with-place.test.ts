import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { showApproval } from '../../src/approvals/ask-in-chat.ts'
import type { ApprovalShape } from '../../src/approvals/contract.ts'
import type { Channel, Message } from '../../src/chat/contract.ts'
import type { ApprovalId, RunId } from '../../src/shared/ids.ts'
import { botUserId, slackMessage } from '../chat/support/start-slack.ts'
import { startSlackSceneOn } from '../chat/support/start-slack-scene.ts'
import type { Script } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

const refund: Script = ({ json }) => {
  const asked = JSON.stringify((json.messages as unknown[]).at(-1)) // Anthropic's wire format
  const isTold = asked.includes('tool_result') || asked.includes('only look')
  return isTold ? { text: 'So be it.' } : { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] }
}

type Shop = Omit<Awaited<ReturnType<typeof startShopOn>>, keyof AsyncDisposable>

function inChannels(shop: Shop) {
  const approvals = async () =>
    (await shop.app.get<{ items: ApprovalShape[] }>('/api/v1/approvals?limit=100')).items
  /** Makes one more request. */
  const asking = async (act: () => Promise<unknown>): Promise<ApprovalShape> => {
    const before = (await approvals()).length
    await act()
    await until(async () => (await approvals()).length > before)
    const newest = (await approvals())[0]
    assert.ok(newest)
    return newest
  }
  return {
    async addChannel(): Promise<string> {
      return (await shop.app.api<Channel>('POST', '/api/v1/channels', { name: randomUUID() })).body.id
    },
    asking,
    askIn: (channelId: string, threadId?: string | null) =>
      asking(() =>
        shop.app.api('POST', `/api/v1/channels/${channelId}/messages`, {
          text: '@bellhop refund',
          threadId,
        }),
      ),
    /** The approval has ended, its card says so, and the run continues with what the agent was told. */
    async isVoid({ id, runId }: ApprovalShape, ends: 'succeeded' | 'failed' = 'succeeded'): Promise<void> {
      const now = await shop.app.get<ApprovalShape>(`/api/v1/approvals/${id}`)
      assert.equal(now.status, 'void')
      const run = await shop.endedRun(runId)
      assert.deepEqual([run.status, run.toolCalls[0]?.error?.code], [ends, 'approval_void'])
    },
    async showsVoid({ id }: ApprovalShape): Promise<void> {
      const { messageId } = await shop.app.get<ApprovalShape>(`/api/v1/approvals/${id}`)
      await until(
        async () => (await shop.app.get<Message>(`/api/v1/messages/${messageId}`)).card?.state === 'void',
      )
    },
    isPending: async ({ id }: ApprovalShape) =>
      assert.equal((await shop.app.get<ApprovalShape>(`/api/v1/approvals/${id}`)).status, 'pending'),
  }
}

verifies(
  ['permissions:rights-of-now', 'runs:scope'],
  'a request made in a channel is void once the channel’s connector list no longer allows it, including requests by a webhook without its own list and by people in its threads',
  async () => {
    await using model = await startStubAnthropic(refund)
    await using shop = await startShopOn(await sharedApp(), { model })
    const { addChannel, asking, askIn, isVoid, showsVoid, isPending } = inChannels(shop)
    const [channelId, elsewhere] = [await addChannel(), await addChannel()]
    const listed = { channelId, connectorIds: [shop.connectorId] }
    const [plain, own, moved] = [
      await shop.createWebhook({ channelId }),
      await shop.createWebhook(listed),
      await shop.createWebhook({ channelId }),
    ]
    const ringing = (webhook: typeof plain) => asking(() => shop.sendEvent(webhook))
    const threadOf = async (webhook: typeof plain) =>
      (await shop.endedRun((await shop.sendEvent(webhook, { what: 'only look' })).runId)).reply?.messageId
    const narrow = (connectorIds: string[] | null) =>
      shop.app.api('PATCH', `/api/v1/channels/${channelId}`, { connectorIds })

    const byPerson = await askIn(channelId)
    const byWebhook = await ringing(plain)
    const inThread = await askIn(channelId, await threadOf(plain))
    const kept = [
      await ringing(own),
      await askIn(channelId, await threadOf(own)),
      await ringing(moved),
      await askIn(elsewhere),
    ]
    const { items } = await shop.app.get<{ items: { id: string }[] }>(`/api/v1/events?webhookId=${plain.id}`)
    const replay = () => shop.app.api('POST', `/api/v1/events/${items.at(-1)?.id}/replay`, { dryRun: false })
    kept.push(await asking(replay))

    await shop.app.api('PATCH', `/api/v1/webhooks/${moved.id}`, { channelId: elsewhere })
    assert.equal((await narrow([shop.connectorId])).status, 200)
    for (const asked of [byPerson, byWebhook, inThread, ...kept]) await isPending(asked)
    assert.equal((await narrow([])).status, 200)
    for (const asked of [byPerson, byWebhook, inThread]) {
      await isVoid(asked)
      await showsVoid(asked)
    }
    for (const asked of kept) await isPending(asked)
    assert.equal(shop.target.seen.length, 0)
  },
)

verifies(
  'permissions:rights-of-now',
  'a request made in a channel that is deleted is void, and an earlier approval sends nothing',
  async () => {
    await using model = await startStubAnthropic(refund)
    await using shop = await startShopOn(await sharedApp(), { model })
    const { addChannel, askIn, isVoid, isPending } = inChannels(shop)
    const [channelId, elsewhere] = [await addChannel(), await addChannel()]
    const [asked, other, allowed] = [await askIn(channelId), await askIn(elsewhere), await askIn(channelId)]
    const { db, queue } = shop.app.app.ctx
    // No worker has seen this approval yet.
    await sql`update approvals set status = 'approved' where id = ${allowed.id}`.execute(db)
    assert.equal((await shop.app.api('DELETE', `/api/v1/channels/${channelId}`)).status, 204)
    await isVoid(asked, 'failed')
    await isPending(other)
    // A pending approval is shown once that is possible.
    await sql`update channels set deleted_at = now() where id = ${elsewhere}`.execute(db)
    const open = other.id as ApprovalId // the server gives ids of approvals
    await assert.rejects(showApproval(shop.app.app.ctx, open), /was deleted/)
    const runId = allowed.runId as RunId // the server gives ids of runs
    await queue.send(db, 'run.advance', { runId }, { key: runId })
    const { toolCalls } = await shop.endedRun(runId)
    assert.match(toolCalls[0]?.error?.message ?? '', /channel .* was removed/)
    assert.equal(shop.target.seen.length, 0)
  },
)

verifies(
  'permissions:rights-of-now',
  'a request made in a workspace that is disconnected is void',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp(), refund)
    const { asking, isVoid } = inChannels(scene)
    const said = { user: scene.kim, channel: scene.ops, text: `<@${botUserId}> refund`, ts: '1700000009.1' }
    const openJobs = async () => {
      const { rows } = await sql`
        select from jobs.job where name = 'approval.show' and state in ('created', 'retry', 'active')`.execute(
        scene.app.app.ctx.db,
      )
      return rows.length
    }
    const asked = await asking(() => scene.deliver(slackMessage(said, 'app_mention')))
    assert.equal((await scene.app.api('DELETE', `/api/v1/workspaces/${scene.workspace.id}`)).status, 204)
    await isVoid(asked, 'failed')
    // The card can no longer be updated, so it is left alone.
    await until(async () => (await openJobs()) === 0)
    assert.equal(scene.target.seen.length, 0)
  },
)
