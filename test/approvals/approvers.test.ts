import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Group } from '../../src/accounts/contract.ts'
import type { ApprovalShape } from '../../src/approvals/contract.ts'
import { decideApproval } from '../../src/approvals/decide-approval.ts'
import { expireApprovals } from '../../src/approvals/expire-approvals.ts'
import { claimEscalations } from '../../src/approvals/store.ts'
import type { Message } from '../../src/chat/contract.ts'
import type { ApprovalId } from '../../src/shared/ids.ts'
import { createKey, join, type Person } from '../accounts/visitor.ts'
import { fc } from '../support/property.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startGateOn } from '../support/start-gate.ts'
import { general } from '../support/start-shop.ts'
import { loopback, startTestApp, type TestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

type Gate = Awaited<ReturnType<typeof startGateOn>>
type Answered = ApprovalShape & { type: string; detail: string }

async function addGroup(app: TestApp, name: string, people: readonly Pick<Person, 'id'>[]) {
  const created = await app.api<Group>('POST', '/api/v1/groups', {
    name: `${name} ${crypto.randomUUID()}`,
    userIds: people.map(({ id }) => id),
  })
  assert.equal(created.status, 201, created.text)
  return created.body
}

/** Of the tool `refund`, or another one. */
async function setApprovers({ app, connectorId }: Gate, rule: Record<string, unknown>, tool = 'refund') {
  const { tools } = await app.get<{ tools: { id: string; name: string }[] }>(
    `/api/v1/connectors/${connectorId}`,
  )
  const id = tools.find(({ name }) => name === tool)?.id
  const saved = await app.api<{ errors?: { pointer: string }[] }>(
    'PUT',
    `/api/v1/tools/${id}/approvers`,
    rule,
  )
  return { ...saved, id }
}

const decide = ({ visitor }: Person, id: string, verdict = 'approve') =>
  visitor.send<Answered>('POST', `/approvals/${id}/${verdict}`, {})

const read = (app: TestApp, id: string) => app.get<ApprovalShape>(`/api/v1/approvals/${id}`)

const refund = { name: 'shop__refund' } as const

verifies(
  'approvals:groups',
  'members of a group approve, whatever their role; others are told whom to ask, admins can deny, and a setting keeps them from approving',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { app } = gate
    const [fin, outsider, ada] = [
      await join(app, 'member'),
      await join(app, 'member'),
      await join(app, 'admin'),
    ]
    const finance = await addGroup(app, 'Finance', [fin])
    assert.equal((await setApprovers(gate, { approvers: [finance.id] })).status, 200)
    const { callId, approval } = await gate.ask({ ...refund, channelId: general })
    assert.deepEqual(
      [approval.approvers, approval.approvalsNeeded, approval.mayDecide],
      [[{ id: finance.id, name: finance.name }], 1, true],
    )

    const refused = await decide(outsider, approval.id)
    assert.deepEqual([refused.status, refused.body.type], [403, 'not-an-approver'])
    assert.match(refused.body.detail, new RegExp(finance.name))
    assert.equal((await decide(outsider, approval.id, 'deny')).status, 403)
    const { body: shown } = await outsider.visitor.send<ApprovalShape>('GET', `/approvals/${approval.id}`)
    assert.equal(shown.mayDecide, false)

    const strict = { approvals: { adminsMayApprove: false } }
    assert.equal((await app.api('PATCH', '/api/v1/settings', strict)).status, 200)
    const byAdmin = await decide(ada, approval.id)
    assert.deepEqual([byAdmin.status, byAdmin.body.type], [403, 'not-an-approver'])
    assert.match(byAdmin.body.detail, /As an admin, you may deny it/)
    const other = await gate.ask(refund)
    assert.equal((await decide(ada, other.approval.id, 'deny')).body.status, 'denied')
    await app.api('PATCH', '/api/v1/settings', { approvals: null })

    const approved = await decide(fin, approval.id)
    assert.deepEqual([approved.body.status, approved.body.decidedBy?.id], ['approved', fin.id])
    assert.equal((await gate.call(refund, callId)).kind, 'answered')
    assert.equal(gate.target.seen.length, 1)
    // As usual, admins may approve too.
    const last = await gate.ask(refund)
    assert.equal((await decide(ada, last.approval.id)).body.status, 'approved')
    // While a tool names it, the group stays.
    const kept = await app.api('DELETE', `/api/v1/groups/${finance.id}`)
    assert.deepEqual([kept.status, kept.body.type], [409, 'in-use'])
    const unknown = await setApprovers(gate, { approvers: ['grp_none'] })
    assert.deepEqual([unknown.status, unknown.body.errors?.[0]?.pointer], [422, '/approvers/0'])
  },
)

verifies(
  'approvals:groups',
  'a group decides also about a call in a conversation that its members cannot see otherwise',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { app } = gate
    const [fin, outsider, asker] = [
      await join(app, 'member'),
      await join(app, 'member'),
      await join(app, 'member'),
    ]
    const finance = await addGroup(app, 'Finance', [fin])
    await setApprovers(gate, { approvers: [finance.id] })
    const { rows } = await sql<{ id: `chan_${string}` }>`
      insert into channels (id, workspace_id, name, kind)
      select ${`chan_${crypto.randomUUID()}`}, workspace_id, ${asker.id}, 'direct' from channels limit 1 returning id`.execute(
      gate.ctx.db,
    )
    const { approval } = await gate.ask({ ...refund, channelId: rows[0]?.id ?? general })
    assert.equal((await decide(outsider, approval.id)).status, 404)
    assert.equal((await decide(fin, approval.id)).body.status, 'approved')
  },
)

verifies(
  'approvals:several',
  'of many clicks at once by a few people, each person counts once, keys included, and the call is sent once',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { app } = gate
    const people = await Promise.all([1, 2, 3].map(() => join(app, 'admin')))
    const [one, two] = people
    assert.ok(one && two)
    const { body: own } = await one.visitor.send<{ key: string }>('POST', '/api-keys', {
      name: `own ${crypto.randomUUID()}`,
      role: 'admin',
    })
    const { body: made } = await app.api<{ key: string }>(
      'POST',
      '/api/v1/api-keys',
      { name: `made by the key ${crypto.randomUUID()}`, role: 'admin' },
      { key: own.key },
    )
    await setApprovers(gate, { approvalsNeeded: 3 })
    const { callId, approval } = await gate.ask(refund)
    const byKey = (key: string) =>
      app.api<Answered>('POST', `/api/v1/approvals/${approval.id}/approve`, {}, { key })
    const clicks = await Promise.all([
      ...Array.from({ length: 5 }, () => decide(one, approval.id)),
      byKey(own.key),
      byKey(made.key),
    ])
    assert.equal(clicks.filter(({ status }) => status === 200).length, 1)
    assert.ok(clicks.every(({ status, body }) => status === 200 || body.type === 'already-approved'))
    assert.equal((await gate.call(refund, callId)).kind, 'waiting')
    const second = await decide(two, approval.id)
    assert.deepEqual([second.body.status, second.body.approvals.length], ['pending', 2])
    const third = people[2]
    assert.ok(third)
    const last = await Promise.all([
      decide(two, approval.id),
      decide(third, approval.id),
      decide(two, approval.id),
    ])
    assert.equal(last.filter(({ status }) => status === 200).length, 1)
    const after = await read(app, approval.id)
    assert.deepEqual([after.status, after.approvals.length, after.decidedBy?.id], ['approved', 3, third.id])
    await Promise.all(
      [gate.call(refund, callId), gate.call(refund, callId)].map((call) => call.catch(() => null)),
    )
    assert.equal(gate.target.seen.length, 1)
    const { items } = await app.get<{ items: { action: string; detail: Record<string, unknown> }[] }>(
      `/api/v1/audit?subject=${approval.id}`,
    )
    assert.deepEqual(
      items.map(({ action, detail }) => [action, detail.approvals]),
      [
        ['approval.approved', 3],
        ['approval.given', 2],
        ['approval.given', 1],
      ],
    )
  },
)

verifies(
  'approvals:several',
  'whoever is no approver any more takes the approval along; one denial ends the question; an edit needs all approvals again',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { app } = gate
    const [one, two, three] = [await join(app, 'member'), await join(app, 'member'), await join(app, 'admin')]
    const duo = await addGroup(app, 'Duo', [one, two])
    await setApprovers(gate, { approvers: [duo.id], approvalsNeeded: 2 })
    // A membership that is lost between two clicks.
    const lost = await gate.ask(refund)
    assert.equal((await decide(one, lost.approval.id)).body.status, 'pending')
    const patch = (userIds: string[]) => app.api('PATCH', `/api/v1/groups/${duo.id}`, { userIds })
    assert.equal((await patch([two.id])).status, 200)
    const next = await decide(two, lost.approval.id)
    assert.deepEqual([next.body.status, next.body.approvals.map(({ by }) => by.id)], ['pending', [two.id]])
    assert.equal((await decide(one, lost.approval.id)).body.type, 'not-an-approver')
    // A key that was revoked: its maker, whose yes it was, may say it again.
    const { id: keyId, key } = (
      await three.visitor.send<{ id: string; key: string }>('POST', '/api-keys', {
        name: `soon revoked ${crypto.randomUUID()}`,
        role: 'admin',
      })
    ).body
    const keyed = await gate.ask(refund)
    const url = `/api/v1/approvals/${keyed.approval.id}/approve`
    assert.equal((await app.api<Answered>('POST', url, {}, { key })).body.approvals.length, 1)
    assert.equal((await app.api('DELETE', `/api/v1/api-keys/${keyId}`)).status, 204)
    const again = await decide(three, keyed.approval.id)
    assert.deepEqual(
      [again.body.status, again.body.approvals?.map(({ by }) => by.id)],
      ['pending', [three.id]],
    )
    assert.equal((await decide(two, keyed.approval.id)).body.status, 'approved')
    // A role that is lost: the third approves as an admin.
    await patch([one.id])
    assert.equal((await decide(three, lost.approval.id)).body.approvals.length, 1)
    await app.api('PATCH', `/api/v1/users/${three.id}`, { role: 'operator' })
    const still = await decide(one, lost.approval.id)
    assert.deepEqual([still.body.status, still.body.approvals.map(({ by }) => by.id)], ['pending', [one.id]])
    await patch([one.id, two.id])
    assert.equal((await decide(two, lost.approval.id)).body.status, 'approved')

    const denied = await gate.ask(refund)
    await decide(one, denied.approval.id)
    assert.equal((await decide(two, denied.approval.id, 'deny')).body.status, 'denied')

    // An edit against a click: whichever came first, two people have seen what is sent.
    for (let round = 0; round < 6; round++) {
      const { approval, callId } = await gate.ask(refund)
      await decide(one, approval.id)
      const edit = () =>
        one.visitor.send<Answered>('POST', `/approvals/${approval.id}/edit`, { input: { id: `B-${round}` } })
      const click = () =>
        two.visitor.send<Answered>(
          'POST',
          `/approvals/${approval.id}/approve`,
          {},
          { 'if-match': `"${approval.digest}"` },
        )
      const before = gate.target.seen.length
      const [clicked, edited] =
        round % 2 === 0
          ? await Promise.all([click(), edit()])
          : await Promise.all([edit(), click()]).then(([first, second]) => [second, first] as const)
      await gate.call(refund, callId)
      const sent = gate.target.seen.slice(before).map(({ url }) => url)
      if (clicked.status === 200) {
        assert.deepEqual(
          [clicked.body.status, edited.status, sent],
          ['approved', 409, ['/orders/A-1/refund']],
        )
        continue
      }
      assert.deepEqual([clicked.body.type, edited.status, sent], ['approval-changed', 200, []])
      assert.deepEqual(edited.body.approvals, [])
      assert.equal((await decide(two, approval.id)).body.status, 'pending')
      assert.equal((await gate.call(refund, callId)).kind, 'waiting')
      assert.equal((await decide(one, approval.id)).body.status, 'approved')
      await gate.call(refund, callId)
      assert.equal(gate.target.seen.at(-1)?.url, `/orders/B-${round}/refund`)
    }
  },
)

verifies(
  ['approvals:several', 'approvals:groups'],
  'whatever happens in whatever order, a call is approved exactly when enough people who may approve have seen it as it is',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { app } = gate
    const people = await Promise.all([0, 1, 2, 3].map(() => join(app, 'member')))
    const group = await addGroup(app, 'Any', people)
    const acts = fc.oneof(
      { weight: 6, arbitrary: fc.record({ act: fc.constant('approve' as const), who: fc.nat(3) }) },
      { weight: 1, arbitrary: fc.record({ act: fc.constant('edit' as const), who: fc.nat(3) }) },
      { weight: 2, arbitrary: fc.record({ act: fc.constant('leave' as const), who: fc.nat(3) }) },
      { weight: 2, arbitrary: fc.record({ act: fc.constant('enter' as const), who: fc.nat(3) }) },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(acts, { maxLength: 12 }),
        async (needed, steps) => {
          const inside = new Set([0, 1, 2, 3])
          const save = () =>
            app.api('PATCH', `/api/v1/groups/${group.id}`, {
              userIds: [...inside].map((who) => people[who]?.id),
            })
          await save()
          await setApprovers(gate, { approvers: [group.id], approvalsNeeded: needed })
          const { approval } = await gate.ask(refund)
          let given = new Set<number>()
          let isApproved = false
          let edits = 0
          for (const { act, who } of steps) {
            const person = people[who]
            assert.ok(person)
            if (act === 'leave' || act === 'enter') {
              act === 'leave' ? inside.delete(who) : inside.add(who)
              await save()
              continue
            }
            if (act === 'edit') {
              const answer = await person.visitor.send('POST', `/approvals/${approval.id}/edit`, {
                input: { id: `C-${edits++}` },
              })
              assert.equal(answer.status === 200, !isApproved && inside.has(who))
              if (answer.status === 200) given = new Set()
              continue
            }
            const counts: boolean = !isApproved && inside.has(who) && !given.has(who)
            assert.equal((await decide(person, approval.id)).status === 200, counts)
            if (!counts) continue
            given = new Set([...given, who].filter((one) => inside.has(one)))
            isApproved = given.size >= needed
          }
          const { status, approvals } = await read(app, approval.id)
          assert.equal(status, isApproved ? 'approved' : 'pending')
          assert.ok(!isApproved || new Set(approvals.map(({ by }) => by.id)).size >= needed)
        },
      ),
      { numRuns: 25 },
    )
  },
)

verifies(
  'approvals:own-request',
  'who asked for a destructive call does not approve it while enough others can; a rule says otherwise, for any call',
  async () => {
    await using app = await startTestApp({ env: loopback })
    await using gate = await startGateOn(app)
    const ada = await join(app, 'admin')
    const requester = { kind: 'user', id: ada.id as `usr_${string}`, name: 'Ada', isAdmin: true } as const // the id of a user
    const confirm = (id: string, who: Person) =>
      decideApproval(gate.ctx, {
        approvalId: id as ApprovalId, // the server gives ids of approvals
        decision: 'approve',
        actor: { kind: 'user', id: who.id, name: 'Somebody', role: 'admin' },
        reason: null,
        via: 'card',
        channelId: general,
      })
    const ask = () => gate.ask({ name: 'shop__delete_order', requester, channelId: general })
    const alone = await ask()
    assert.equal((await confirm(alone.approval.id, ada)).status, 'approved', 'nobody else could')
    const bo = await join(app, 'admin')
    const own = await ask()
    await assert.rejects(confirm(own.approval.id, ada), {
      type: 'not-an-approver',
      message: /You asked for this call, so somebody else must approve it/,
    })
    assert.equal((await confirm(own.approval.id, bo)).status, 'approved')
    await setApprovers(gate, { requesterMayApprove: true }, 'delete_order')
    assert.equal((await confirm((await ask()).approval.id, ada)).status, 'approved')
    // A write is approved by who asked for it, unless the tool says no: then also not with a key of their own.
    const write = await gate.ask({ ...refund, requester })
    assert.equal((await decide(ada, write.approval.id)).body.status, 'approved')
    await setApprovers(gate, { requesterMayApprove: false })
    const { approval } = await gate.ask({ ...refund, requester })
    assert.equal((await decide(ada, approval.id)).body.type, 'not-an-approver')
    const { body: key } = await ada.visitor.send<{ key: string }>('POST', '/api-keys', {
      name: 'own',
      role: 'admin',
    })
    const byKey = await app.api('POST', `/api/v1/approvals/${approval.id}/approve`, {}, { key: key.key })
    assert.equal(byKey.body.type, 'not-an-approver')
    const foreign = await createKey(app, 'admin')
    const byOther = await app.api('POST', `/api/v1/approvals/${approval.id}/approve`, {}, { key: foreign })
    assert.equal(byOther.status, 200)
  },
)

verifies(
  ['approvals:groups', 'approvals:edit', 'policies:first-match'],
  'a policy names other approvers than its tool, also for what an edit makes of a call',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { app } = gate
    const [support, finance] = [await join(app, 'member'), await join(app, 'member')]
    const [desk, board] = [await addGroup(app, 'Desk', [support]), await addGroup(app, 'Board', [finance])]
    await setApprovers(gate, { approvers: [desk.id] })
    const created = await app.api<{ id: string; approvers: string[] }>('POST', '/api/v1/policies', {
      name: 'Large refunds',
      tool: 'shop__refund',
      when: 'input.amount > 1000',
      then: 'approve',
      approvers: [board.id],
      approvalsNeeded: 1,
    })
    assert.equal(created.status, 201, created.text)
    assert.deepEqual(created.body.approvers, [board.id])
    await using _policy = {
      [Symbol.asyncDispose]: async () =>
        void (await app.api('DELETE', `/api/v1/policies/${created.body.id}`)),
    }
    const large = await gate.ask({ ...refund, input: { id: 'A-1', amount: 2000 } })
    assert.equal((await decide(support, large.approval.id)).body.type, 'not-an-approver')
    assert.equal((await decide(finance, large.approval.id)).body.status, 'approved')
    const small = await gate.ask({ ...refund, input: { id: 'A-1', amount: 20 } })
    const edited = await support.visitor.send<Answered>('POST', `/approvals/${small.approval.id}/edit`, {
      input: { id: 'A-1', amount: 2000 },
    })
    assert.deepEqual(
      edited.body.approvers.map(({ id }) => id),
      [board.id],
    )
    assert.equal((await decide(support, small.approval.id)).body.type, 'not-an-approver')
    assert.equal((await decide(finance, small.approval.id)).body.status, 'approved')
    const used = await app.api('DELETE', `/api/v1/groups/${board.id}`)
    assert.equal(used.body.type, 'in-use')
  },
)

verifies(
  'approvals:escalate',
  'when nobody decides in time, the next group is mentioned once, whoever restarts, and may decide',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { app, ctx } = gate
    const [fin, oncall] = [await join(app, 'member'), await join(app, 'member')]
    const [finance, duty] = [await addGroup(app, 'Finance', [fin]), await addGroup(app, 'On call', [oncall])]
    await setApprovers(gate, {
      approvers: [finance.id],
      escalate: [
        { afterMinutes: 60, to: duty.id },
        { afterMinutes: 15, to: duty.id },
      ],
    })
    const { approval } = await gate.ask({ ...refund, channelId: general })
    assert.deepEqual(
      approval.escalate.map(({ afterMinutes }) => afterMinutes),
      [15, 60],
    )
    await expireApprovals(ctx)
    assert.equal((await decide(oncall, approval.id)).body.type, 'not-an-approver')
    await sql`update approvals set created_at = now() - interval '16 minutes' where id = ${approval.id}`.execute(
      ctx.db,
    )
    await Promise.all([1, 2, 3].map(() => expireApprovals(ctx)))
    const pings = async () => {
      const { items } = await app.get<{ items: Message[] }>(`/api/v1/channels/${general}/messages?limit=100`)
      return items.filter(({ text }) => text.startsWith(duty.name))
    }
    await until(async () => (await pings()).length > 0)
    // Whatever was lost in a crash is sent again, and posted once.
    await ctx.queue.send(ctx.db, 'approval.escalate', { approvalId: approval.id as ApprovalId, step: 1 }, {}) // the server gives ids of approvals
    assert.deepEqual(await claimEscalations(ctx.db), [])
    assert.match(
      (await pings())[0]?.text ?? '',
      /has waited 15 minutes for a decision, and you may decide it now/,
    )
    assert.deepEqual(
      (await read(app, approval.id)).approvers.map(({ id }) => id),
      [finance.id, duty.id],
    )
    assert.equal((await decide(oncall, approval.id)).body.status, 'approved')
    await sql`update approvals set created_at = now() - interval '2 hours' where id = ${approval.id}`.execute(
      ctx.db,
    )
    await expireApprovals(ctx)
    assert.equal((await pings()).length, 1)
  },
)
