import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import type { AxeResults } from 'axe-core'
import { admin, adminEnv, openBrowser, visit } from '../support/browser.ts'
import { fillHouse } from '../support/fill-house.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const text =
  'Order A-1042 of a customer with a rather long name, **bold**, `code`, ‏עברית‎ and a bell 🛎️ '.repeat(2)

const looks = [
  { name: 'light', options: {} },
  { name: 'dark', options: { colorScheme: 'dark' } },
  { name: 'narrow', options: { viewport: { width: 390, height: 844 } } },
] as const

for (const { name, options } of looks) {
  verifies(
    'dashboard:accessible',
    `axe finds nothing serious on any page, and nothing hangs over the edge (${name})`,
    async () => {
      await using house = await fillHouse({ text })
      await using browser = await openBrowser()
      // axe is put into the page from outside, which the policy would rightly refuse.
      await using visitor = await visit(browser, house.app, admin, { ...options, bypassCSP: true })
      const { page } = visitor
      await mkdir(`test-output/screenshots/${name}`, { recursive: true })

      const found: string[] = []
      for (const path of house.paths) {
        await page.goto(path)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
        const file =
          path === '/'
            ? 'home'
            : path
                .slice(1)
                .replaceAll(/[^a-z]+/gi, '-')
                .slice(0, 60)
        const at = house.paths.indexOf(path) + 1
        await page.screenshot({
          path: `test-output/screenshots/${name}/${String(at).padStart(2, '0')}-${file}.png`,
        })
        await page.evaluate(axeSource)
        const results = (await page.evaluate(
          'axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21aa"] })',
        )) as AxeResults
        for (const { impact, id, nodes } of results.violations) {
          if (impact !== 'serious' && impact !== 'critical') continue
          found.push(`${path}: ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
        }
        const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        if (Number(wide) > 0) found.push(`${path}: hangs ${wide} px over the edge`)
      }
      assert.deepEqual(found, [])
    },
  )
}

verifies(
  'dashboard:first-page-size',
  'sign-in and home each load less than 250 kB of compressed JavaScript',
  async () => {
    await using app = await startTestApp({ env: adminEnv })
    await using browser = await openBrowser()
    for (const person of [null, admin]) {
      await using visitor = await visit(browser, app, person)
      const { page } = visitor
      const sizes = new Map<string, number>()
      page.on('response', async (response) => {
        if (!response.url().endsWith('.js')) return
        const body = await response.body().catch(() => null)
        if (body) sizes.set(response.url(), gzipSync(body).length)
      })
      await page.goto('/')
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForLoadState('networkidle')

      const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
      assert.ok(sizes.size > 0)
      assert.ok(total < 250_000, `${total} bytes in ${sizes.size} files`)
    }
  },
)
