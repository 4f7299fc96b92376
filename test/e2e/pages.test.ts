import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import type { AxeResults } from 'axe-core'
import type { Page, Request } from 'playwright-core'
import { admin, goTo, visit } from '../support/browser.ts'
import { startFilledApp } from '../support/start-filled-app.ts'
import { general, shopTools } from '../support/start-shop.ts'
import { startTestApp, testApiKey } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const text =
  'Order A-1042 of a customer with a rather long name, **bold**, `code`, ‏עברית‎ and a bell 🛎️ '.repeat(2)

type Look = {
  name: string
  colorScheme: 'light' | 'dark'
  viewport: { width: number; height: number }
  /** Of axe. */
  rules: string | null
  /** The font size that is set in the browser. */
  typePx?: number
  /** Only for the screenshots: the layout is checked in one with less space. */
  isShown?: true
}

const wide = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }
const usualPx = 16
const contrast = '["color-contrast"]'
/** The layout is that of the next one. */
const dark: Look = { name: 'dark', colorScheme: 'dark', viewport: wide, rules: contrast }
/** In an order in which little changes from one to the next; every other page takes it backwards. */
const all: Look[] = [
  dark,
  { name: 'light', colorScheme: 'light', viewport: wide, rules: '["wcag2a", "wcag2aa", "wcag21aa"]' },
  // A small laptop: the same page with less space.
  { name: 'middle', colorScheme: 'light', viewport: { width: 1024, height: 768 }, rules: null },
  // The same at 200 % zoom, and at 400 % (WCAG 1.4.10).
  { name: 'zoomed', colorScheme: 'light', viewport: { width: 720, height: 450 }, rules: null },
  { name: 'smallest', colorScheme: 'light', viewport: { width: 320, height: 512 }, rules: null },
  { name: 'narrow', colorScheme: 'light', viewport: phone, rules: null, isShown: true },
  // A browser font size of 150 %: on a phone there is less space than anywhere else.
  { name: 'phone-large-type', colorScheme: 'light', viewport: phone, rules: null, typePx: 24 },
  { name: 'large-type', colorScheme: 'light', viewport: wide, rules: null, typePx: 24, isShown: true },
]
const looks = all.filter(({ isShown }) => !isShown || process.env.SCREENSHOTS)

verifies(
  'dashboard:accessible',
  'axe finds nothing serious on any page in light and dark, and nothing overflows in any layout',
  async () => {
    await using filled = await startFilledApp({ text })
    // axe is injected into the page, which the content security policy would rightly refuse.
    await using visitor = await visit(filled.app, admin, { bypassCSP: true })
    const { page } = visitor
    const take = await startLooks(page)

    const found: string[] = []
    page.on('console', (message) => {
      // The browser itself reports an answer of 404.
      if (message.type() !== 'error' || message.text().startsWith('Failed to load resource')) return
      found.push(`${page.url()} (console): ${message.text()}`)
    })
    for (const [at, path] of filled.paths.entries()) {
      const inTurn = at % 2 === 0 ? looks : looks.toReversed()
      found.push(...(await beforeLong(inspect(page, take, inTurn, path, fileOf(at, path)), path)))
    }

    await take(dark)
    for (const [what, path, open] of opened) {
      await goTo(page, path)
      await open(page)
      await keep(page, `dark/${what}`)
      found.push(...(await complaints(page, contrast)).map((words) => `${what} (dark): ${words}`))
      await page.keyboard.press('Escape')
    }
    assert.deepEqual(found, [])
  },
)

type Take = (look: Look) => Promise<void>

/** Changes only what is different from the look before. */
async function startLooks(page: Page): Promise<Take> {
  const settings = await page.context().newCDPSession(page)
  let before: Look | undefined
  return async (look) => {
    const { colorScheme, viewport, typePx } = look
    if (typePx !== before?.typePx) {
      await settings.send('Page.setFontSizes', { fontSizes: { standard: typePx ?? usualPx } })
    }
    if (colorScheme !== before?.colorScheme) await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    if (viewport !== before?.viewport) await page.setViewportSize(viewport)
    before = look
  }
}

/** What is wrong with a page in each look. */
async function inspect(
  page: Page,
  take: Take,
  inTurn: Look[],
  path: string,
  file: string,
): Promise<string[]> {
  await goTo(page, path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
  if (await page.evaluate('!globalThis.axe')) await page.evaluate(axeSource)
  const found: string[] = []
  for (const look of inTurn) {
    const { name, colorScheme, rules, typePx = usualPx } = look
    await take(look)
    await page.locator(`[data-mantine-color-scheme=${colorScheme}]`).waitFor()
    await keep(page, `${name}/${file}`)
    const noticed = [
      ...(rules ? await complaints(page, rules) : []),
      ...(colorScheme === 'light' ? await page.evaluate<string[]>(misfits(typePx)) : []),
    ]
    found.push(...noticed.map((words) => `${path} (${name}): ${words}`))
  }
  return found
}

/** Nothing else ends the wait for a script in a page. A page takes two seconds. */
async function beforeLong<T>(work: Promise<T>, what: string): Promise<T> {
  const limitMs = 240_000
  const late = pause(limitMs, undefined, { ref: false }).then(() => {
    throw new Error(`Chromium has not finished ${what} after ${limitMs} ms.`)
  })
  return await Promise.race([work, late])
}

/** Screenshots of every page in every layout: `SCREENSHOTS=1 npm run check -- test/e2e/pages.test.ts`. */
async function keep(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `test-output/screenshots/${name}.png` })
}

/**
 * Once the page has been laid out for its new size: whether it is painted, what is too wide, a page or a table in its container, and text that does not
 * follow the font size of the browser. The smallest of ours, of keys in a hint, has five eighths of it.
 */
const misfits = (typePx: number) => `
  new Promise((tell) => requestAnimationFrame(() => requestAnimationFrame(tell))).then(() => [
    ...(document.elementFromPoint(innerWidth / 2, innerHeight / 2) === document.documentElement ? ['is blank'] : []),
    ...[...document.querySelectorAll('html, section:has(> table)')]
      .filter((one) => one.scrollWidth > one.clientWidth)
      .map((one) => one.localName + ' hangs ' + (one.scrollWidth - one.clientWidth) + ' px over the edge'),
    ...new Set([...document.querySelectorAll('body *')]
      .filter((one) => [...one.childNodes].some((child) => child.nodeType === 3 && child.data.trim() !== ''))
      .filter((one) => one.checkVisibility() && parseFloat(getComputedStyle(one).fontSize) < ${(typePx * 5) / 8})
      .map((one) => one.localName + ' ' + one.className + ' is set too small: ' + getComputedStyle(one).fontSize)),
  ])`

/** Dialogs and menus that open over a page. */
const opened: [what: string, path: string, open: (page: Page) => Promise<void>][] = [
  [
    'palette',
    '/runs',
    async (page) => {
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('button', { name: 'New webhook' }).hover()
    },
  ],
  ['person-menu', '/runs', async (page) => await page.getByRole('button', { name: /, menu$/ }).click()],
  [
    'dialog',
    '/settings/keys',
    async (page) => {
      await page
        .getByRole('button', { name: /^Revoke/ })
        .first()
        .click()
      await page.getByRole('button', { name: 'Cancel' }).waitFor()
    },
  ],
  [
    'emoji-picker',
    `/channels/${general}`,
    async (page) => {
      await page.getByRole('button', { name: 'Add reaction' }).last().click()
      await page.getByRole('listbox', { name: 'Emoji' }).waitFor()
    },
  ],
]

/** What axe calls serious. The menu of pages is the same beside each: Home's is checked. */
async function complaints(page: Page, rules: string): Promise<string[]> {
  const exclude = new URL(page.url()).pathname === '/' ? '[]' : `['nav[aria-label=Main]']`
  const results = (await page.evaluate(
    `axe.run({ exclude: ${exclude} }, { resultTypes: ["violations"], runOnly: ${rules}, preload: false, iframes: false })`,
  )) as AxeResults // what axe answers
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}

function fileOf(at: number, path: string): string {
  const words = path
    .slice(1)
    .replaceAll(/[^a-z]+/gi, '-')
    .slice(0, 60)
  return `${String(at + 1).padStart(2, '0')}-${path === '/' ? 'home' : words}`
}

verifies('dashboard:accessible', 'with forced colours, a switch still shows whether it is on', async () => {
  await using app = await startTestApp({ admin })
  await using visitor = await visit(app, admin, { forcedColors: 'active' })
  const { page } = visitor
  await page.goto('/webhooks/new')
  const active = page.getByRole('switch', { name: 'Active' })
  await active.waitFor()
  const ground = () =>
    page.evaluate(`getComputedStyle(document.querySelector('.mantine-Switch-track')).backgroundColor`)
  const on = await ground()
  await active.uncheck({ force: true })
  await until(async () => (await ground()) !== on)
})

verifies(
  ['dashboard:first-page-size', 'dashboard:compressed', 'dashboard:font'],
  'sign-in and home each load less than 240 kB of compressed JavaScript, and less than 300 kB in all, with the font',
  async () => {
    await using app = await startTestApp({ admin })
    // What is in the house but not on the page is not sent.
    const tools = Array.from({ length: 230 }, (_, n) => ({
      ...shopTools[0],
      name: `get_${n}`,
      description: Array.from({ length: 6 }, () => crypto.randomUUID()).join(),
    }))
    const large = {
      type: 'http',
      name: 'Large',
      baseUrl: 'https://large.example.com',
      authType: 'none',
      tools,
    }
    assert.equal((await app.api('POST', '/api/v1/connectors', large)).status, 201)
    for (const person of [null, admin]) {
      // A context of its own, with an empty cache.
      await using visitor = await visit(app, person, {})
      const { page } = visitor
      const sizes = new Map<string, number>()
      const finished: Request[] = []
      page.on('requestfinished', (request) => finished.push(request))
      await page.goto('/')
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForLoadState('networkidle')
      for (const request of [...finished]) {
        const { responseBodySize, responseHeadersSize } = await request.sizes()
        sizes.set(request.url(), responseBodySize + responseHeadersSize)
      }

      const sum = (urls: [string, number][]) => urls.reduce((total, [, size]) => total + size, 0)
      const scripts = [...sizes].filter(([url]) => url.endsWith('.js'))
      assert.ok(scripts.length > 0)
      assert.ok(sum(scripts) < 240_000, `${sum(scripts)} bytes in ${scripts.length} scripts`)
      assert.ok(sum([...sizes]) < 300_000, `${sum([...sizes])} bytes in ${sizes.size} answers`)
      assert.ok([...sizes.keys()].some((url) => url.endsWith('.woff2')))
      assert.equal(await page.evaluate('document.fonts.check("600 14px Inter", "Bellhop")'), true)
    }
    for (let n = 0; n < 8; n += 1) await app.api('POST', '/api/v1/channels', { name: `room-${n}` })
    const encodingFor = async (accepted: string) => {
      const headers = { 'accept-encoding': accepted }
      const { status, headers: told } = await app.api('GET', '/api/v1/channels', undefined, { headers })
      return [status, told.get('content-encoding')]
    }
    assert.deepEqual(await encodingFor('gzip, br'), [200, 'gzip'])
    assert.deepEqual(await encodingFor('gzip;q=0, identity'), [200, null])
    const stream = await fetch(`${app.url}/api/v1/stream`, {
      headers: { authorization: `Bearer ${testApiKey}`, 'accept-encoding': 'gzip, br' },
    })
    assert.equal(stream.headers.get('content-encoding'), null)
    await stream.body?.cancel()
  },
)
