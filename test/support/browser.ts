import assert from 'node:assert/strict'
import { after } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../scripts/setup/chromium.mjs'
import { insertUser } from '../../src/accounts/store/users.ts'
import { easyHash } from './easy-hash.ts'
import { keepAddress, type TestApp } from './start-test-app.ts'

export const admin = { email: 'kim@example.com', password: 'correct horse battery' }
/** For a service that makes its first admin itself. */
export const adminEnv = { ADMIN_EMAIL: admin.email, ADMIN_PASSWORD: admin.password }

type Person = { email: string; password: string }
type Role = 'member' | 'operator' | 'admin'

const closeMs = 15_000
/** Only ends a failing test: a machine that is shared with others may stand still for a minute. */
const openMs = 90_000
/** A document of ours without scripts. */
const plainFile = '/favicon.svg'
const viewport = { width: 1440, height: 900 }

keepAddress()

let launched: Promise<Browser> | undefined
after(async () => await soon((await launched)?.close()))

/** One browser for all tests of a file: it ends with the file. Its contexts are each as isolated as a browser of its own. */
function launch(): Promise<Browser> {
  // Chromium refuses its own sandbox to root, and the tests open only our own pages. An emulated graphics card takes longer than
  // none, and pages that live for seconds gain nothing from optimised code, from threads that help while all cores are busy, or
  // from memory that is given back.
  const scripts =
    '--no-opt --invocation-count-for-maglev=2000 --single-threaded --min-semi-space-size=16 --initial-heap-size=256 --no-flush-bytecode --no-memory-reducer'
  const args = ['--no-sandbox', '--disable-gpu', `--js-flags=${scripts}`]
  launched ??= chromium.launch({ executablePath: installed(), args })
  return launched
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
 * Opens a page of the dashboard. After the first one, a path is opened as a link would do it: loading the dashboard anew takes four
 * times the processor time. Nothing that the page before showed is left, because one without content is opened in between; what was
 * read from the server is known.
 */
export async function goTo(page: Page, path: string): Promise<void> {
  const isFirst = page.url() === 'about:blank' || page.url().endsWith(plainFile)
  if (isFirst || URL.canParse(path)) return void (await page.goto(path))
  await page.evaluate(`(async () => {
    const isEmpty = () => document.getElementById('content')?.textContent.includes('Settings page not found')
    const notices = () => [...document.querySelectorAll('.mantine-Notification-closeButton')]
    const until = async (holds) => {
      for (const deadline = performance.now() + ${openMs}; !holds(); ) {
        if (performance.now() > deadline) throw new Error('Not opened: ' + location)
        await new Promise((tell) => setTimeout(tell, 5))
      }
    }
    history.pushState(null, '', '/settings/none')
    for (const close of notices()) close.click()
    await until(() => isEmpty() && notices().length === 0)
    history.replaceState(null, '', ${JSON.stringify(path)})
    await until(() => !isEmpty())
  })()`)
}

/**
 * Somebody at the dashboard, signed in if a person is given. Disposing checks, whatever the test is about, that no script failed,
 * no content security policy was violated and no other host was contacted.
 */
export async function visit(
  app: TestApp,
  person: Person | null = admin,
  options?: BrowserContextOptions,
): Promise<Visitor> {
  const free = freePages.get(app.url) ?? []
  freePages.set(app.url, free)
  const page = (options ? undefined : free.pop()) ?? (await openPage(app, options))
  const faults: string[] = []
  const requests: string[] = []
  const refusals: string[] = []
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
    const answer = await page.context().request.post('/api/v1/session', {
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
      if (!options && !page.isClosed() && (await soon(empty(page)))) free.push(page)
      else await soon(page.context().close())
      assert.deepEqual(faults, [])
    },
  }
}

/**
 * The next visitor of that address uses the same page, because its process has compiled the scripts of the dashboard: without, the
 * first page takes twice the processor time. A visitor with options of their own, `{}` included, has a context of their own.
 */
const freePages = new Map<string, Page[]>()

async function openPage(app: TestApp, options: BrowserContextOptions = {}): Promise<Page> {
  const browser = await launch()
  const context = await browser.newContext({
    baseURL: app.url,
    viewport,
    locale: 'en-US',
    reducedMotion: 'reduce',
    ...options,
  })
  context.setDefaultTimeout(openMs)
  // Otherwise a script that catches its own failure would violate the policy silently.
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', (event) =>
      console.error('Content Security Policy: ' + event.violatedDirective + ' refused ' + event.blockedURI))`,
  )
  return await context.newPage()
}

/** Nothing is left of its visitor but the scripts. */
async function empty(page: Page): Promise<void> {
  const context = page.context()
  for (const other of context.pages()) if (other !== page) await other.close()
  await context.setOffline(false)
  // A request that a test answers itself may still be under way.
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  // Scripts would keep drafts.
  await page.goto(plainFile)
  page.removeAllListeners()
  await page.evaluate('sessionStorage.clear(), localStorage.clear()')
  await context.clearCookies()
  await context.clearPermissions()
  await page.setViewportSize(viewport)
}

/**
 * Whether it is done before long: Chromium may never report that something is closed, after requests that outlive their page.
 * It ends with the process anyway.
 */
async function soon(closing: Promise<void> | undefined): Promise<boolean> {
  const done = closing?.then(
    () => true,
    () => false,
  )
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
