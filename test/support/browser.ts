import assert from 'node:assert/strict'
import { after } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { findChromium } from '../../scripts/setup/chromium.mjs'
import { insertUser } from '../../src/accounts/store/users.ts'
import { easyHash } from './easy-hash.ts'
import { keepAddress, type TestApp } from './start-test-app.ts'

export const admin = { email: 'kim@example.com', password: 'correct horse battery' }
/** For a service that makes its first admin itself. */
export const adminEnv = { ADMIN_EMAIL: admin.email, ADMIN_PASSWORD: admin.password }

type Person = { email: string; password: string }
type Role = 'member' | 'operator' | 'admin'

/** Creates contexts, each as isolated as a browser of its own, and keeps some for the next test. */
type OpenBrowser = Pick<Browser, 'newContext'>

const closeMs = 15_000

keepAddress()

let launched: Promise<Browser> | undefined
after(async () => await soon((await launched)?.close()))

/** One browser for all tests of a file: it ends with the file, and disposing only closes what the test opened. */
export async function openBrowser(): Promise<OpenBrowser & AsyncDisposable> {
  // Chromium refuses its own sandbox to root, and the tests open only our own pages. An emulated graphics card takes longer than
  // none, and pages that live for seconds gain nothing from optimised code.
  const args = ['--no-sandbox', '--disable-gpu', '--js-flags=--no-opt']
  launched ??= chromium.launch({ executablePath: installed(), args })
  const browser = await launched
  return {
    newContext: (options) => browser.newContext(options),
    [Symbol.asyncDispose]: async () => undefined,
  }
}

export type Visitor = AsyncDisposable & {
  page: Page
  /** Every request of the page, as `GET /path`. */
  requests: string[]
  /** What the server refused although the page offered it. */
  refusals: string[]
  /** What went wrong so far. A test that stops the server removes the faults it expects. */
  faults: string[]
}

/**
 * Somebody at the dashboard, signed in if a person is given. Disposing checks, whatever the test is about, that no script failed,
 * no content security policy was violated and no other host was contacted.
 */
export async function visit(
  browser: OpenBrowser,
  app: TestApp,
  person: Person | null = admin,
  options?: BrowserContextOptions,
): Promise<Visitor> {
  const free = freeContexts.get(app.url) ?? []
  const context = (options ? undefined : free.pop()) ?? (await openContext(browser, app, options))
  const faults: string[] = []
  const requests: string[] = []
  const refusals: string[] = []
  const page = await context.newPage()
  page.on('pageerror', (error) => faults.push(`script failed: ${error.message}`))
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) faults.push(message.text())
  })
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol !== 'data:' && url.protocol !== 'blob:' && url.origin !== app.url) {
      faults.push(`asked another host: ${request.url()}`)
    }
    requests.push(`${request.method()} ${url.pathname}`)
  })
  page.on('response', (response) => {
    const words = `${response.request().method()} ${new URL(response.url()).pathname} answered ${response.status()}`
    if (response.status() >= 500) faults.push(words)
    if (response.status() === 403) refusals.push(words)
  })
  if (person) {
    const answer = await context.request.post('/api/v1/session', {
      data: person,
      headers: { origin: app.url },
    })
    assert.equal(answer.status(), 200, await answer.text())
  }
  return {
    page,
    requests,
    refusals,
    faults,
    async [Symbol.asyncDispose]() {
      // A request that a test answers itself may still be under way.
      if (!page.isClosed()) await soon(page.unrouteAll({ behavior: 'ignoreErrors' }))
      if (!options && (await soon(empty(context, app)))) freeContexts.set(app.url, [...free, context])
      else await soon(context.close())
      assert.deepEqual(faults, [])
    },
  }
}

/**
 * The next visitor of that address uses the same context, because its cache has the scripts of the dashboard: without, the first
 * page takes twice the processor time. A visitor with options of their own, `{}` included, has a context of their own.
 */
const freeContexts = new Map<string, BrowserContext[]>()

async function openContext(
  browser: OpenBrowser,
  app: TestApp,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: app.url,
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    reducedMotion: 'reduce',
    ...options,
  })
  // Only ends a failing test: a machine that is shared with others may stand still for a minute.
  context.setDefaultTimeout(180_000)
  // Otherwise a script that catches its own failure would violate the policy silently.
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', (event) =>
      console.error('Content Security Policy: ' + event.violatedDirective + ' refused ' + event.blockedURI))`,
  )
  return context
}

/** Only the cache of scripts and styles is left. */
async function empty(context: BrowserContext, app: TestApp): Promise<void> {
  for (const page of context.pages()) await page.close()
  await context.setOffline(false)
  await context.clearCookies()
  await context.clearPermissions()
  const blank = await context.newPage()
  const session = await context.newCDPSession(blank)
  await session.send('Storage.clearDataForOrigin', { origin: new URL(app.url).origin, storageTypes: 'all' })
  await blank.close()
}

/**
 * Whether it is done before long: Chromium may never report that something is closed, after requests that outlive their page.
 * It ends with the process anyway.
 */
async function soon(closing: Promise<void> | undefined): Promise<boolean> {
  const done = closing?.then(() => true)
  return (await Promise.race([done, pause(closeMs, false, { ref: false })])) ?? true
}

export async function createPerson(app: TestApp, name: string, role: Role): Promise<Person> {
  const person = { email: `${name.toLowerCase()}@example.com`, password: 'another horse battery' }
  const passwordHash = easyHash(person.password)
  assert.ok(await insertUser(app.app.ctx.db, { email: person.email, name, role, passwordHash }))
  return person
}

function installed(): string {
  const found = findChromium()
  if (!found) throw new Error('No Chromium was found. npm test installs it, or says how.')
  return found
}
