import assert from 'node:assert/strict'
import type { Access } from '../../src/http/api.ts'
import { routes } from '../../src/routes.ts'
import { type Role, roles } from '../../src/shared/actor.ts'
import { startTestApp, type TestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'
import { routeMatrix } from './route-matrix.ts'
import { createKey, join } from './visitor.ts'

type Caller = { who: string; role: Role | 'none'; headers: Record<string, string> }
type Outcome = 'let through' | 'sign in first' | 'not your role'

/** An id that nothing has, so that a call which is let through changes nothing. */
const nobody = '00000000-0000-7000-8000-000000000000'

verifies(
  'accounts:route-role-matrix',
  'every route is in the matrix, and every row is a route with that access',
  () => {
    const found = new Map<string, Access>(
      routes.map(({ method, path, access }) => [`${method} ${path}`, access]),
    )
    const differing = [...new Set([...found.keys(), ...Object.keys(routeMatrix)])]
      .filter((route) => found.get(route) !== routeMatrix[route])
      .map((route) => `${route}: ${found.get(route) ?? 'no such route'}, in the matrix ${routeMatrix[route]}`)
    assert.deepEqual(differing, [], 'src/routes.ts and test/accounts/route-matrix.ts differ')
  },
)

verifies(
  ['accounts:route-role-matrix', 'accounts:roles'],
  'at every route, each role and an anonymous caller, by session and by key, is allowed or refused as the matrix says',
  async () => {
    await using app = await startTestApp()
    const callers = await makeCallers(app)
    assert.equal(callers.length, 7)
    const wrong: string[] = []
    for (const [route, door] of Object.entries(routeMatrix)) {
      // A public route checks no role, so one request is enough.
      const knocking = door === 'anyone' ? callers.filter(({ role }) => role === 'none') : callers
      for (const caller of knocking) {
        const outcome = await request(app, route, caller)
        const expected = expect(door, caller.role)
        if (outcome !== expected) wrong.push(`${route} for ${caller.who}: ${outcome}, not ${expected}`)
      }
    }
    assert.deepEqual(wrong, [])
  },
)

async function makeCallers(app: TestApp): Promise<Caller[]> {
  const known = await Promise.all(
    roles.map(async (role): Promise<Caller[]> => {
      const { visitor } = await join(app, role)
      const key = await createKey(app, role)
      return [
        { who: `a signed-in ${role}`, role, headers: { cookie: visitor.cookie } },
        { who: `a key with the role ${role}`, role, headers: { authorization: `Bearer ${key}` } },
      ]
    }),
  )
  return [{ who: 'nobody', role: 'none', headers: {} }, ...known.flat()]
}

function expect(door: Access, role: Role | 'none'): Outcome {
  if (door === 'anyone') return 'let through'
  if (role === 'none') return 'sign in first'
  return roles.indexOf(role) >= roles.indexOf(door) ? 'let through' : 'not your role'
}

async function request(app: TestApp, route: string, { headers }: Caller): Promise<Outcome> {
  const [method = '', path = ''] = route.split(' ')
  // Without a body: what is let through then fails on its input. Streams answer at once and go on, so they are cut off.
  const cut = new AbortController()
  const response = await fetch(app.url + path.replaceAll(/\{(\w+)\}/g, nobody), {
    method,
    headers,
    signal: cut.signal,
  })
  const text = response.headers.get('content-type')?.includes('problem') ? await response.text() : ''
  cut.abort()
  assert.notEqual(response.status, 500, `${route} failed: ${text}`)
  if (response.status === 401 && text.includes('"not-signed-in"')) return 'sign in first'
  // A route may refuse for other reasons; only a refusal for the role counts here.
  return text.includes('You need the role') ? 'not your role' : 'let through'
}
