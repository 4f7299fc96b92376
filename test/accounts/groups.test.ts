import assert from 'node:assert/strict'
import type { Group } from '../../src/accounts/contract.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startTestApp, type TestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'
import { oidcClient, startOidcProvider } from './start-oidc-provider.ts'
import { join, newAddress } from './visitor.ts'

const sharedApp = shareInFile(() => startTestApp())

const add = (app: TestApp, group: Record<string, unknown>) =>
  app.api<Group & { type: string; errors?: { pointer: string }[] }>('POST', '/api/v1/groups', group)

verifies(
  'accounts:groups',
  'a group is created, read, changed and deleted; what is wrong is named',
  async () => {
    const app = await sharedApp()
    const kim = await join(app, 'member')
    const created = await add(app, { name: ' Finance ', userIds: [kim.id] })
    assert.equal(created.status, 201, created.text)
    const { id } = created.body
    assert.match(id, /^grp_/)
    assert.deepEqual([created.body.name, created.body.userIds], ['Finance', [kim.id]])
    assert.deepEqual((await app.get<{ items: Group[] }>('/api/v1/groups?q=fin')).items, [
      await app.get(`/api/v1/groups/${id}`),
    ])
    for (const [group, pointer] of [
      [{ name: '' }, '/name'],
      [{ name: 'A', userIds: ['usr_none'] }, '/userIds/0'],
      [{ name: 'A', slackUserGroup: '@finance' }, '/slackUserGroup'],
      [{ name: 'A', oidcClaim: 'sre' }, '/oidcClaim'],
    ] as const) {
      const refused = await add(app, group)
      assert.deepEqual([refused.status, refused.body.errors?.[0]?.pointer], [422, pointer], refused.text)
    }
    assert.equal((await add(app, { name: 'finance' })).body.type, 'name-taken')
    const changed = await app.api<Group>('PATCH', `/api/v1/groups/${id}`, {
      slackUserGroup: 'S0123',
      userIds: [],
    })
    assert.deepEqual([changed.body.slackUserGroup, changed.body.userIds], ['S0123', []])
    const { updatedAt } = changed.body
    const same = await app.api<Group>('PATCH', `/api/v1/groups/${id}`, { name: 'Finance' })
    assert.equal(same.body.updatedAt, updatedAt, 'the same again changes nothing')
    assert.equal((await app.api('DELETE', `/api/v1/groups/${id}`)).status, 204)
    assert.equal((await app.api('GET', `/api/v1/groups/${id}`)).status, 404)
    const { items } = await app.get<{ items: { action: string }[] }>(`/api/v1/audit?subject=${id}`)
    assert.deepEqual(
      items.map(({ action }) => action),
      ['group.deleted', 'group.changed', 'group.created'],
    )
  },
)

verifies(
  'accounts:groups',
  'a claim of the provider puts people into a group at each sign-in, and takes them out again',
  async () => {
    await using provider = await startOidcProvider()
    await using app = await startTestApp({ env: { EGRESS_PRIVATE_EXCEPTIONS: provider.host } })
    const oidc = { name: 'Example ID', issuer: provider.issuer, newUsersRole: 'member', ...oidcClient }
    assert.equal((await app.api('PUT', '/api/v1/oidc', oidc)).status, 200)
    const sre = (await add(app, { name: 'SRE', oidcClaim: 'groups=sre' })).body
    const boss = (await add(app, { name: 'Bosses', oidcClaim: 'title=Head = of all' })).body
    const email = newAddress('bo')
    const person = { sub: email, email, email_verified: true, name: 'Bo' }
    const signIn = async (claims: Record<string, unknown>) => {
      provider.lie = claims
      const begun = await fetch(`${app.url}/api/v1/session/oidc`, { redirect: 'manual' })
      const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? ''
      const back = provider.approve(begun.headers.get('location') ?? '', person)
      assert.equal(
        (await fetch(back, { redirect: 'manual', headers: { cookie } })).headers.get('location'),
        '/',
      )
    }
    const members = async ({ id }: Group) =>
      (await app.get<Group>(`/api/v1/groups/${id}`)).claimUserIds.length
    await signIn({ groups: ['dev', 'sre'], title: 'Head = of all' })
    assert.deepEqual([await members(sre), await members(boss)], [1, 1])
    await signIn({ groups: ['srex', { sre: true }], title: 'Head' })
    assert.deepEqual([await members(sre), await members(boss)], [0, 0])
    await signIn({ groups: 'sre' })
    assert.equal(await members(sre), 1)
    // Another claim, or no provider: nobody has said that it holds.
    await app.api('PATCH', `/api/v1/groups/${sre.id}`, { oidcClaim: 'groups=ops' })
    assert.equal(await members(sre), 0)
    await signIn({ groups: ['ops'] })
    assert.equal(await members(sre), 1)
    await app.api('DELETE', '/api/v1/oidc')
    assert.equal(await members(sre), 0)
  },
)
