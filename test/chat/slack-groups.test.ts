import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Group } from '../../src/accounts/contract.ts'
import type { ApprovalShape } from '../../src/approvals/contract.ts'
import { expireApprovals } from '../../src/approvals/expire-approvals.ts'
import { join } from '../accounts/visitor.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { slackClick } from './support/start-slack.ts'
import { startSlackSceneOn } from './support/start-slack-scene.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

verifies(
  ['approvals:slack-user-group', 'approvals:groups', 'approvals:escalate', 'approvals:several'],
  'a user group of Slack is mentioned on the card and read at each click; Slack that does not answer decides nothing; an escalation mentions the next group',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp(), (_request, index) =>
      index === 0 ? { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] } : { text: 'Refunded.' },
    )
    const { app, slack, ops, kim } = scene
    const person = await join(app, 'member')
    await app.api('PUT', `/api/v1/workspaces/${scene.workspace.id}/identities/${kim}`, { userId: person.id })
    const addGroup = async (name: string, slackUserGroup: string) =>
      (await app.api<Group>('POST', '/api/v1/groups', { name, slackUserGroup })).body
    const finance = await addGroup('Finance', 'S0FINANCE')
    const duty = await addGroup('On call', 'S0ONCALL')
    const bad = await app.api('POST', '/api/v1/groups', { name: 'Everybody', slackUserGroup: 'channel' })
    assert.equal(bad.status, 422, 'a whole channel is no user group')
    const { items: connectors } = await app.get<{ items: { tools: { id: string; name: string }[] }[] }>(
      '/api/v1/connectors',
    )
    const tool = connectors.flatMap(({ tools }) => tools).find(({ name }) => name === 'refund')
    const rule = {
      approvers: [finance.id],
      approvalsNeeded: 2,
      escalate: [{ afterMinutes: 15, to: duty.id }],
    }
    assert.equal((await app.api('PUT', `/api/v1/tools/${tool?.id}/approvers`, rule)).status, 200)

    const webhook = await scene.createWebhook({ channelId: scene.channel.id })
    const { runId } = await scene.sendEvent(webhook)
    await scene.runWhen(runId, ({ status }) => status === 'waiting')
    await until(async () => (await slack.history(ops)).length === 1)
    const card = async () => (await slack.history(ops))[0]
    const first = await card()
    const written = JSON.stringify(first?.blocks)
    assert.match(written, /<!subteam\^S0FINANCE>/)
    assert.match(written, /Finance · 0 of 2 approved/)
    assert.doesNotMatch(written, /<!channel>|<!here>|<!everyone>/)
    assert.match(written, /\/approvals\/apr_[^"]*\?edit=true/)
    const value =
      first?.blocks?.flatMap(({ elements = [] }) => elements).find((one) => one.value)?.value ?? ''
    const press = () =>
      scene.deliver(
        slackClick({ user: kim, channel: ops, ts: first?.ts ?? '', action: 'bellhop_approve', value }),
      )
    const hints = () => slack.callsOf('chat.postEphemeral').map(({ body }) => body.text ?? '')
    const approval = async () => {
      const { items } = await app.get<{ items: ApprovalShape[] }>(`/api/v1/approvals?runId=${runId}`)
      assert.ok(items[0])
      return items[0]
    }

    await press()
    await until(() => hints().length === 1)
    assert.match(hints()[0] ?? '', /Only members of Finance may approve this/)
    slack.fault = ({ method }) =>
      method === 'usergroups.users.list' ? { error: 'missing_scope', needed: 'usergroups:read' } : null
    await press()
    await until(() => hints().length === 2)
    assert.match(hints()[1] ?? '', /Slack was asked who is in the group.*usergroups:read/)
    slack.fault = () => null

    slack.userGroups.set('S0FINANCE', [kim])
    await press()
    await until(async () => JSON.stringify((await card())?.blocks).includes('1 of 2 approved: '))
    assert.equal((await approval()).status, 'pending')
    // Below the card, with the group that may decide now as well.
    await sql`update approvals set created_at = now() - interval '16 minutes' where id = ${(await approval()).id}`.execute(
      app.app.ctx.db,
    )
    await expireApprovals(app.app.ctx)
    const replies = () => slack.replies(ops, first?.ts ?? '')
    await until(async () => (await replies()).length === 1)
    assert.match(JSON.stringify((await replies())[0]?.blocks), /On call: .*<!subteam\^S0ONCALL>/)

    // In the dashboard the same group counts. The first approval is void with the membership.
    const other = await join(app, 'member')
    const approve = () =>
      other.visitor.send<ApprovalShape & { type: string }>(
        'POST',
        `/approvals/${value.split('.')[0]}/approve`,
        {},
      )
    assert.equal((await approve()).body.type, 'not-an-approver')
    await app.api('PUT', `/api/v1/workspaces/${scene.workspace.id}/identities/U0OTHER`, { userId: other.id })
    slack.userGroups.set('S0FINANCE', ['U0OTHER'])
    const second = await approve()
    assert.deepEqual(
      [second.body.status, second.body.approvals.length],
      ['pending', 1],
      'kim is out of the group',
    )
    slack.userGroups.set('S0ONCALL', [kim])
    await press()
    await scene.endedRun(runId)
    assert.equal((await approval()).status, 'approved')
    assert.equal(scene.target.seen.length, 1)
  },
)
