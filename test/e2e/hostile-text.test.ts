import assert from 'node:assert/strict'
import { openBrowser, visit } from '../support/browser.ts'
import { fillHouse } from '../support/fill-house.ts'
import { verifies } from '../support/verifies.ts'

const hostile =
  '<img src="https://evil.example/a.png" onerror="globalThis.struck=1"><script>globalThis.struck=1</script>' +
  '<svg onload="globalThis.struck=1"></svg> ![x](https://evil.example/b.png) [y](javascript:globalThis.struck=1)'

verifies(
  ['dashboard:text-never-html', 'dashboard:no-external-requests'],
  'markup and script in every field, body, answer and reply is shown as text and does nothing',
  async () => {
    await using house = await fillHouse({ text: hostile })
    await using browser = await openBrowser()
    await using visitor = await visit(browser, house.app)
    const { page } = visitor

    for (const path of house.paths) {
      await page.goto(path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForLoadState('load')
      for (const head of await page.locator('button[aria-expanded=false][aria-controls]').all()) {
        if (await head.isVisible()) await head.click()
      }
      for (const link of await page.locator('main a').all()) {
        assert.doesNotMatch((await link.getAttribute('href')) ?? '', /^javascript/i, path)
      }
      assert.equal(await page.locator('main img, main script').count(), 0, path)
      assert.equal(await page.evaluate('globalThis.struck'), undefined, path)
    }
    await page.goto(house.paths.find((path) => path.startsWith('/channels/')) ?? '')
    await page.getByText('globalThis.struck=1').first().waitFor()
  },
)
