import assert from 'node:assert/strict'
import { adminEnv, openBrowser, visit } from '../support/browser.ts'
import { startTarget } from '../support/start-target.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  ['dashboard:configure-connectors', 'dashboard:same-validation'],
  'a connector is refused a private address, then saved and tested; its tool is written and tried',
  async () => {
    await using target = await startTarget((_request, response) => {
      response.setHeader('content-type', 'application/json').end('{"id":"A-1","total":12345678901234567890}')
    })
    await using app = await startTestApp({ env: { ...adminEnv, EGRESS_PRIVATE_EXCEPTIONS: target.pair } })
    await using browser = await openBrowser()
    await using visitor = await visit(browser, app)
    const { page } = visitor

    await page.goto('/connectors/new')
    await page.getByLabel('Name').fill('Shop')
    await page.getByLabel('Base URL').fill('http://10.0.0.1/v1')
    await page.getByRole('button', { name: 'Save & test' }).click()
    await page.locator('.mantine-TextInput-error', { hasText: 'EGRESS_PRIVATE_EXCEPTIONS' }).waitFor()
    assert.equal(await page.getByLabel('Base URL').inputValue(), 'http://10.0.0.1/v1')

    await page.getByLabel('Base URL').fill(target.origin)
    await page.getByRole('combobox', { name: 'Authentication' }).click()
    await page.getByRole('option', { name: 'Bearer token' }).click()
    await page.getByLabel('Secret', { exact: true }).fill('planted-connector-token')
    await page.getByRole('button', { name: 'Save & test' }).click()
    await page.getByText('Reachable', { exact: true }).waitFor()
    assert.equal(target.seen.at(-1)?.headers.authorization, 'Bearer planted-connector-token')

    await page.getByRole('link', { name: 'New tool' }).click()
    await page.getByLabel('Name').fill('get order')
    await page.getByLabel('Description').fill('Reads one order')
    await page.getByLabel('Path').fill('/orders/{id}')
    await page.getByRole('button', { name: 'Create tool' }).click()
    await page.getByText('Use 1 to 64 letters, digits').waitFor()
    await page.getByLabel('Name').fill('get_order')
    await page.getByRole('button', { name: 'Create tool' }).click()
    // The schema does not know the placeholder yet, and the server says so.
    await page.getByRole('alert').filter({ hasText: 'id' }).waitFor()
    const schema = page.getByRole('textbox', { name: 'Input schema' })
    await schema.fill('{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}')
    await page.getByRole('button', { name: 'Create tool' }).click()

    await page.getByRole('heading', { name: 'Try it' }).waitFor()
    await page.getByRole('textbox', { name: /^id\b/ }).fill('A-1/../x')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('HTTP 200').waitFor()
    assert.match(
      (await page.getByRole('region', { name: /^Answer/ }).textContent()) ?? '',
      /12345678901234567890/,
    )
    assert.equal(target.seen.at(-1)?.url, '/orders/A-1%2F..%2Fx')
    assert.doesNotMatch(await page.content(), /planted-connector-token/)
  },
)

verifies(
  'dashboard:configure-connectors',
  'an OpenAPI document and a curl line become connectors by picking operations',
  async () => {
    await using app = await startTestApp({ env: adminEnv })
    await using browser = await openBrowser()
    await using visitor = await visit(browser, app)
    const { page } = visitor

    await page.goto('/connectors/import')
    await page.getByRole('button', { name: 'Read it' }).click()
    await page.getByText('Paste something to read.').waitFor()
    await page.getByRole('textbox', { name: 'OpenAPI document' }).fill('this is no document')
    await page.getByRole('button', { name: 'Read it' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('textbox', { name: 'OpenAPI document' }).fill(JSON.stringify(shop))
    await page.getByRole('button', { name: 'Read it' }).click()
    await page.getByLabel('Pick deleteOrder').uncheck()
    await page.getByRole('button', { name: 'Create with 1 tools' }).click()
    await page.getByRole('link', { name: 'getOrder' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'deleteOrder' }).count(), 0)

    await page.goto('/connectors/import?from=curl')
    await page
      .getByRole('textbox', { name: 'curl line' })
      .fill("curl 'https://api.example.com/v1/customers?limit=5' -H 'Accept: application/json'")
    await page.getByRole('button', { name: 'Read it' }).click()
    await page.getByRole('button', { name: 'Create with 1 tools' }).click()
    await page.getByRole('tab', { name: 'Tools' }).waitFor()
  },
)

const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
const shop = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'https://api.example.com/v1' }],
  paths: {
    '/orders/{id}': {
      get: { operationId: 'getOrder', summary: 'One order', parameters: [id], responses: {} },
      delete: { operationId: 'deleteOrder', summary: 'Deletes it', parameters: [id], responses: {} },
    },
  },
}
