import assert from 'node:assert/strict'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  ['dashboard:search', 'dashboard:configure-connectors'],
  'the tools of a large connector are shown a hundred at a time and can be searched; Back returns to the same position',
  async () => {
    await using app = await startTestApp({ admin })
    const names = Array.from({ length: 230 }, (_, n) => `get_${n}`)
    const made = await app.api<{ id: string }>('POST', '/api/v1/connectors', {
      type: 'http',
      name: 'Large',
      baseUrl: 'https://large.example.com',
      authType: 'none',
      tools: names.map((name) => ({
        name,
        description: 'Reads',
        method: 'GET',
        path: '/',
        capability: 'read',
        inputSchema: { type: 'object' },
      })),
    })
    assert.equal(made.status, 201, made.text)
    await using visitor = await visit(app)
    const { page } = visitor
    const rows = () => page.getByRole('row').count()

    await goTo(page, `/connectors/${made.body.id}`)
    await page.getByRole('link', { name: 'get_99', exact: true }).waitFor()
    await becomes(rows, 101)
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByRole('link', { name: 'get_180', exact: true }).click()
    await page.getByRole('heading', { name: 'get_180' }).waitFor()
    await page.goBack()
    await becomes(rows, 201)
    await until(async () => Number(await page.evaluate('document.getElementById("content").scrollTop')) > 0)
    await page.getByRole('searchbox', { name: 'Search tools' }).fill('GET_22')
    await page.getByRole('link', { name: 'get_229', exact: true }).waitFor()
    await becomes(rows, 12)
    await page.getByRole('searchbox', { name: 'Search tools' }).fill('nothing like it')
    await page.getByText('No matching tools').waitFor()
  },
)
