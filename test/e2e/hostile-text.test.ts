import assert from 'node:assert/strict'
import { goTo, visit } from '../support/browser.ts'
import { startFilledApp } from '../support/start-filled-app.ts'
import { verifies } from '../support/verifies.ts'

const hostile =
  '<img src="https://evil.example/a.png" onerror="globalThis.struck=1"><script>globalThis.struck=1</script>' +
  '<svg onload="globalThis.struck=1"></svg> ![x](https://evil.example/b.png) [y](javascript:globalThis.struck=1)'

verifies(
  ['dashboard:text-never-html', 'dashboard:no-external-requests'],
  'markup and script in every field, body, answer and reply is shown as text and does nothing',
  async () => {
    await using filled = await startFilledApp({ text: hostile })
    await using visitor = await visit(filled.app)
    const { page } = visitor

    for (const path of filled.paths) {
      await goTo(page, path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForLoadState('load')
      await page.locator('button[aria-expanded=false][aria-controls]').evaluateAll((heads) => {
        for (const head of heads) if (head.checkVisibility()) head.click()
      })
      // All in one call, since there are hundreds.
      const links = await page
        .locator('main a')
        .evaluateAll((found) => found.map((link) => link.getAttribute('href')))
      for (const href of links) assert.doesNotMatch(href ?? '', /^javascript/i, path)
      assert.equal(await page.locator('main img, main script').count(), 0, path)
      assert.equal(await page.evaluate('globalThis.struck'), undefined, path)
    }
    const channel = filled.paths.find((path) => path.startsWith('/channels/')) ?? ''
    await goTo(page, channel)
    await page.getByText('globalThis.struck=1').first().waitFor()

    // Markdown that takes a parser forever neither hangs nor breaks the page.
    const tangles = ['>'.repeat(39_000), '1) '.repeat(13_000), '*a_'.repeat(13_000), '[a][b]'.repeat(6_000)]
    for (const text of tangles) {
      assert.equal((await filled.app.api('POST', `/api/v1${channel}/messages`, { text })).status, 201)
    }
    await goTo(page, channel)
    for (const text of tangles) await page.getByText(text.slice(0, 60)).first().waitFor()
    await page.getByText('globalThis.struck=1').first().waitFor()
  },
)
