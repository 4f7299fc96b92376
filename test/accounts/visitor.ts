import { sql } from 'kysely'
import { insertUser } from '../../src/accounts/store/users.ts'
import type { Role } from '../../src/shared/actor.ts'
import { easyHash } from '../support/easy-hash.ts'
import type { Answer, TestApp } from '../support/start-test-app.ts'
import { tokenOf } from '../support/token-of.ts'

export const password = 'correct horse battery'

/** A browser, as far as accounts are concerned: it keeps the session cookie and sends it along. */
export type Visitor = {
  send<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<T>>
  /** `name=value`, or empty when there is none. */
  cookie: string
}

export function createVisitor(app: TestApp, cookie = ''): Visitor {
  const visitor: Visitor = {
    cookie,
    async send(method, path, body, headers = {}) {
      const answer = await app.api<never>(method, `/api/v1${path}`, body, {
        key: null,
        headers: { ...(visitor.cookie ? { cookie: visitor.cookie } : {}), ...headers },
      })
      const set = answer.headers.get('set-cookie')
      if (set !== null) visitor.cookie = /Max-Age=0/.test(set) ? '' : (set.split(';')[0] ?? '')
      return answer
    },
  }
  return visitor
}

/** The first admin, through the link of the start-up block; from then on with a password hash that is quick to check. */
export async function setUpAdmin(app: TestApp, email = 'ada@example.com'): Promise<Visitor> {
  const visitor = createVisitor(app)
  await visitor.send('POST', '/setup', { token: tokenOf(app.app.setupUrl), email, name: 'Ada', password })
  await sql`update users set password_hash = ${easyHash(password)}`.execute(app.app.ctx.db)
  return visitor
}

/** An address that nobody else has, so that tests can share an app. */
export function newAddress(name: string): string {
  return `${name}-${crypto.randomUUID()}@example.com`
}

export type Person = { id: string; email: string; visitor: Visitor }

/** A user who accepted an invitation. */
export async function joinByLink(app: TestApp, role: Role, email = newAddress(role)): Promise<Person> {
  const invite = (name: string) =>
    app.api<{ id: string; link: { url: string } }>('POST', '/api/v1/users', { email, name, role })
  const first = await invite(`The ${role}`)
  // In an app that tests share, the first one has the plain name.
  const invited = first.status === 409 ? await invite(`The ${role} ${email}`) : first
  const visitor = createVisitor(app)
  await visitor.send('POST', '/links/accept', { token: tokenOf(invited.body.link.url), password })
  return { id: invited.body.id, email, visitor }
}

/** A signed-in user, created directly. */
export async function join(app: TestApp, role: Role, email = newAddress(role)): Promise<Person> {
  const facts = { email, name: `The ${role}`, role, passwordHash: easyHash(password) }
  const user = await insertUser(app.app.ctx.db, facts)
  if (!user) throw new Error(`Somebody has ${email} already.`)
  const visitor = createVisitor(app)
  const { status } = await visitor.send('POST', '/session', { email, password })
  if (status !== 200) throw new Error(`${email} could not sign in: ${status}`)
  return { id: user.id, email, visitor }
}

export async function createKey(app: TestApp, role: Role): Promise<string> {
  const created = await app.api<{ key: string }>('POST', '/api/v1/api-keys', { name: `a ${role}`, role })
  return created.body.key
}
