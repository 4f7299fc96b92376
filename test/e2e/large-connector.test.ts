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

verifies(
  ['dashboard:search', 'dashboard:configure-connectors'],
  'the operations of a large document are a table: searched, sorted as a whole without moving a row that is being changed, chosen together, described, and imported',
  async () => {
    await using app = await startTestApp({ admin })
    await using visitor = await visit(app)
    const { page } = visitor
    const operation = (n: number) => ({
      [n % 2 === 0 ? 'get' : 'delete']: { operationId: `op_${n}`, summary: `Order ${n}`, responses: {} },
    })
    const numbers = Array.from({ length: 230 }, (_, n) => n)
    await goTo(page, '/connectors/import')
    await page.getByLabel('OpenAPI document').fill(
      JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'Large' },
        servers: [{ url: 'https://large.example.com' }],
        paths: Object.fromEntries(numbers.map((n) => [`/orders/${n}`, operation(n)])),
      }),
    )
    await page.getByRole('button', { name: 'Preview' }).click()
    const table = page.getByRole('table', { name: 'Tools' })
    const rows = () => table.getByRole('row').count()
    await becomes(rows, 101)
    // The order is that of all 230 operations, not of the hundred that are drawn.
    await table.getByRole('button', { name: 'Operation' }).click()
    await table.getByRole('button', { name: 'Operation' }).click()
    await page.waitForURL(/sort=-Operation/)
    const first = table.getByRole('row').nth(1)
    await first.getByRole('cell', { name: /^op_229/ }).waitFor()
    const byCapability = table.getByRole('button', { name: 'Capability', exact: true })
    await byCapability.click()
    await first.getByRole('cell', { name: /^op_0/ }).waitFor()
    await table.getByLabel('Capability of op_0').selectOption('Destructive')
    await becomes(() => table.getByLabel('Capability of op_0').inputValue(), 'destructive')
    await first.getByRole('cell', { name: /^op_0/ }).waitFor()
    // In its new place once the order is chosen again.
    for (let click = 0; click < 3; click += 1) await byCapability.click()
    await first.getByRole('cell', { name: /^op_2/ }).waitFor()
    await table.getByRole('button', { name: 'Operation' }).click()
    await table.getByRole('button', { name: 'Operation' }).click()
    await first.getByRole('cell', { name: /^op_229/ }).waitFor()
    // Nothing of a large document is chosen at first; all of it is, although not all of it is drawn.
    await page.getByText('No tools are selected.').waitFor()
    await page.getByRole('button', { name: 'Create with 0 tools', disabled: true }).waitFor()
    // Descriptions are the longest texts here.
    const widthOf = async (name: string) =>
      (await table.getByRole('columnheader', { name }).boundingBox())?.width ?? 0
    assert.ok((await widthOf('Description')) > 1.5 * (await widthOf('Operation')))
    await table.getByLabel('Select all rows').check()
    await page.getByText('230 selected').waitFor()
    await page.getByRole('button', { name: 'Clear selection' }).click()
    await page.getByRole('searchbox', { name: 'Search operations' }).fill('op_22')
    await page.keyboard.press('Enter')
    await becomes(rows, 12)
    await table.getByLabel('Select all rows').check()
    await page.getByRole('searchbox', { name: 'Search operations' }).fill('op_100')
    await becomes(rows, 2)
    await table.getByLabel('Select op_100').check()
    await table.getByLabel('Capability of op_100').selectOption('Write')
    await page.getByRole('searchbox', { name: 'Search operations' }).fill('nothing like it')
    await page.getByText('No matching operations').waitFor()
    assert.deepEqual((await app.get<{ items: unknown[] }>('/api/v1/connectors')).items, [])
    await page.getByRole('button', { name: 'Create with 12 tools' }).click()
    await page.getByRole('heading', { name: 'Large' }).waitFor()
    const [made] = (await app.get<{ items: { tools: Record<string, string>[] }[] }>('/api/v1/connectors'))
      .items
    assert.equal(made?.tools.length, 12)
    assert.equal(made?.tools.find(({ name }) => name === 'op_100')?.capability, 'write')
  },
)
