import assert from 'node:assert/strict'
import type { View } from '../../src/accounts/contract.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'
import { createKey, join, type Visitor } from './visitor.ts'

const sharedApp = shareInFile(() => startTestApp())

const failed = { list: 'Runs', name: 'Failed', query: 'status=failed', columns: ['Model'] }
const viewsOf = async (visitor: Visitor, list = 'Runs') =>
  (await visitor.send<{ items: View[] }>('GET', `/views?list=${list}`)).body.items

verifies(
  'accounts:saved-views',
  'a view is saved, replaced under its name and deleted, and belongs to one person',
  async () => {
    const app = await sharedApp()
    const { visitor: kim } = await join(app, 'member')
    const { visitor: lee } = await join(app, 'admin')
    const saved = await kim.send<View>('PUT', '/views', { ...failed, name: ' Failed ' })
    assert.equal(saved.status, 200, saved.text)
    assert.deepEqual(saved.body, { ...failed, id: saved.body.id })
    const changed = await kim.send<View>('PUT', '/views', { ...failed, query: 'status=failed&sort=-cost' })
    assert.equal(changed.body.id, saved.body.id)
    await kim.send('PUT', '/views', { ...failed, list: 'Events' })
    assert.deepEqual(await viewsOf(kim), [changed.body])
    assert.equal((await kim.send<{ items: View[] }>('GET', '/views')).body.items.length, 2)

    assert.deepEqual(await viewsOf(lee), [])
    assert.equal((await lee.send('DELETE', `/views/${saved.body.id}`)).status, 404)
    assert.equal((await kim.send('DELETE', `/views/${saved.body.id}`)).status, 204)
    assert.deepEqual(await viewsOf(kim), [])
  },
)

verifies(
  'accounts:saved-views',
  'a view too many is refused with what to do, and what is wrong with one is named; a key has none',
  async () => {
    const app = await sharedApp()
    const { visitor: kim } = await join(app, 'member')
    for (let n = 0; n < 200; n += 1)
      assert.equal((await kim.send('PUT', '/views', { ...failed, name: `View ${n}` })).status, 200)
    const refused = await kim.send<{ type: string }>('PUT', '/views', failed)
    assert.deepEqual([refused.status, refused.body.type], [400, 'invalid-request'])
    assert.match(refused.text, /200 saved views.*Delete one first/)
    // Another state under a name that is there is not one more.
    assert.equal((await kim.send('PUT', '/views', { ...failed, name: 'View 7', query: '' })).status, 200)

    for (const [wrong, pointer] of [
      [{ name: ' ' }, '/name'],
      [{ query: 'x'.repeat(2001) }, '/query'],
      [{ columns: [1] }, '/columns/0'],
    ] as const) {
      const answer = await kim.send<{ errors: { pointer: string }[] }>('PUT', '/views', {
        ...failed,
        ...wrong,
      })
      assert.deepEqual([answer.status, answer.body.errors[0]?.pointer], [422, pointer])
    }
    const key = await createKey(app, 'member')
    const asKey = { key: null, headers: { authorization: `Bearer ${key}` } }
    const byKey = await app.api('PUT', '/api/v1/views', failed, asKey)
    assert.equal(byKey.status, 403, byKey.text)
    assert.deepEqual(
      (await app.api<{ items: View[] }>('GET', '/api/v1/views', undefined, asKey)).body.items,
      [],
    )
  },
)
