import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { startTarget } from '../support/start-target.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  ['dashboard:configure-connectors', 'dashboard:same-validation'],
  'a connector is refused a private address, then saved and tested; its tool is written and tried',
  async () => {
    await using target = await startTarget((_request, response) => {
      response.setHeader('content-type', 'application/json').end('{"id":"A-1","total":12345678901234567890}')
    })
    await using app = await startTestApp({ admin, env: { EGRESS_PRIVATE_EXCEPTIONS: target.pair } })
    await using visitor = await visit(app)
    const { page } = visitor

    await goTo(page, '/connectors/new')
    await page.getByLabel('Name').fill('Shop')
    await page.getByLabel('Base URL').fill('http://10.0.0.1/v1')
    await page.getByRole('button', { name: 'Save & test' }).click()
    await page.locator('.mantine-TextInput-error', { hasText: 'EGRESS_PRIVATE_EXCEPTIONS' }).waitFor()
    await becomes(() => page.getByLabel('Base URL').inputValue(), 'http://10.0.0.1/v1')

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
    // The button is far below the invalid field: the form scrolls there by itself.
    await page.getByLabel('Name').and(page.locator(':focus')).waitFor()
    await page.getByLabel('Name').fill('get_order')
    await page.getByRole('button', { name: 'Create tool' }).click()
    // The schema lacks the placeholder: the server says so, and the page offers to add it.
    await page.locator('.mantine-TextInput-error', { hasText: '{id}' }).waitFor()
    await becomes(() => page.getByRole('alert').count(), 0, 'it is said once, at its field')
    await page.getByLabel('Path').and(page.locator(':focus')).waitFor()
    await page.getByRole('button', { name: 'Add to schema' }).click()
    await page.getByRole('textbox', { name: 'Add input' }).fill('id')
    await page.getByText('Already exists').waitFor()
    await page.getByRole('textbox', { name: 'Add input' }).fill('full')
    await page.getByRole('combobox', { name: 'Input type' }).click()
    await page.getByRole('option', { name: 'Yes or no' }).click()
    await page.getByRole('checkbox', { name: 'required' }).uncheck()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('textbox', { name: 'Add input' }).fill('amount')
    await page.getByRole('combobox', { name: 'Input type' }).click()
    await page.getByRole('option', { name: 'Number', exact: true }).click()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    // The method suggests the capability, so that no write runs without approval by oversight.
    const choose = async (method: string) => {
      await page.getByRole('combobox', { name: 'Method' }).click()
      await page.getByRole('option', { name: method, exact: true }).click()
    }
    await choose('DELETE')
    await page.getByRole('radio', { name: 'destructive', checked: true }).waitFor()
    await choose('GET')
    await page.getByRole('radio', { name: 'read', checked: true }).waitFor()
    // An invalid location is shown at its field, in a section that opens for it.
    await page.getByRole('button', { name: 'Input locations' }).click()
    const place = page.getByRole('combobox', { name: 'Location of amount' })
    await place.click()
    await page.getByRole('option', { name: 'body', exact: true }).click()
    await page.getByRole('button', { name: 'Input locations' }).click()
    await page.getByRole('button', { name: 'Create tool' }).click()
    await page.locator('.mantine-Select-error', { hasText: 'A GET request has no body' }).waitFor()
    await place.click()
    await page.getByRole('option', { name: 'query', exact: true }).click()
    await page.getByRole('button', { name: 'Create tool' }).click()

    await page.getByRole('heading', { name: 'Try it' }).waitFor()
    // The preview of the schema has the same inputs; the label of each leads to it and not to the other one.
    await page.getByRole('button', { name: /^Preview/ }).click()
    await becomes(() => page.getByRole('textbox', { name: /^id\b/ }).count(), 2)
    await page.getByRole('button', { name: /^Preview/ }).click()
    await page.getByRole('textbox', { name: /^id\b/ }).fill('A-1/../x')
    const amount = page.getByRole('textbox', { name: /^amount\b/ })
    await amount.fill('a lot')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('.mantine-TextInput-error', { hasText: 'number' }).waitFor()
    await amount.fill('12345678901234567890')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('HTTP 200').waitFor()
    await page.getByText(/^\d+ ms$|^[\d.]+ s$/).waitFor()
    await page
      .getByRole('region', { name: /^Response/ })
      .getByText('12345678901234567890')
      .waitFor()
    assert.equal(target.seen.at(-1)?.url, '/orders/A-1%2F..%2Fx?amount=12345678901234567890')
    assert.doesNotMatch(await page.content(), /planted-connector-token/)

    // Saved, restored from the history, and the input typed to try it is still there.
    const permissionOf = async () =>
      (await app.get<{ items: { tools: { permission: string }[] }[] }>('/api/v1/connectors')).items[0]
        ?.tools[0]?.permission
    await page.getByRole('combobox', { name: 'Permission' }).click()
    await page.getByRole('option', { name: 'Turned off' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await until(async () => (await permissionOf()) === 'off')
    await becomes(() => amount.inputValue(), '12345678901234567890')
    await page.getByRole('button', { name: /^Revision 1/ }).click()
    await page.getByRole('button', { name: 'Restore revision 1' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore revision 1' }).click()
    await until(async () => (await permissionOf()) === 'auto')
    await page.getByText('Restored as a new revision').waitFor()
    await page.getByRole('radiogroup', { name: 'Input mode' }).getByText('JSON').click()
    await page.getByText('12345678901234567890').first().waitFor()
    await page.getByRole('button', { name: 'Send' }).click()
    await until(() => target.seen.length === 3)
    assert.equal(target.seen.at(-1)?.url, '/orders/A-1%2F..%2Fx?amount=12345678901234567890')

    // The key goes into another header, and into the usual one again once that field is emptied.
    const { items } = await app.get<{ items: { id: string }[] }>('/api/v1/connectors')
    await goTo(page, `/connectors/${items[0]?.id}?tab=settings`)
    await page.getByRole('combobox', { name: 'Authentication' }).click()
    await page.getByRole('option', { name: 'API key in a header' }).click()
    for (const [typed, header] of [
      ['X-Shop-Key', 'x-shop-key'],
      ['', 'x-api-key'],
    ] as const) {
      await page.getByLabel('Header', { exact: true }).fill(typed)
      await page.getByRole('button', { name: 'Save & test' }).click()
      await until(() => target.seen.at(-1)?.headers[header] === 'planted-connector-token')
    }
  },
)

verifies(
  'dashboard:configure-connectors',
  'an OpenAPI document and a curl line become connectors by picking operations',
  async () => {
    const asked = Promise.withResolvers<ServerResponse>()
    await using slow = await startTarget((_, response) => asked.resolve(response))
    await using app = await startTestApp({ admin, env: { EGRESS_PRIVATE_EXCEPTIONS: slow.pair } })
    await using visitor = await visit(app)
    const { page } = visitor

    // A URL is one wherever it is pasted. While a document is being read, no other can be chosen, since the answer would replace it.
    await goTo(page, '/connectors/import')
    await page.getByRole('textbox', { name: 'OpenAPI document' }).fill(`${slow.origin}/openapi.json`)
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('textbox', { name: 'URL of an OpenAPI document' }).waitFor()
    const document = await asked.promise
    await page.getByRole('radio', { name: 'curl', disabled: true }).waitFor({ state: 'attached' })
    document.setHeader('content-type', 'application/json').end(JSON.stringify(shop))
    await page.getByLabel('Select deleteOrder').waitFor()

    await goTo(page, '/connectors/import')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('Paste something to import.').waitFor()
    await page.getByRole('textbox', { name: 'OpenAPI document' }).fill('this is no document')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.locator('.mantine-Textarea-error').waitFor()
    const dropped = await page.evaluateHandle(
      `(() => { const held = new DataTransfer(); held.items.add(new File([${JSON.stringify(JSON.stringify(shop))}], 'openapi.json')); return held })()`,
    )
    await page
      .getByRole('textbox', { name: 'OpenAPI document' })
      .dispatchEvent('drop', { dataTransfer: dropped })
    await page.getByText('"openapi":"3.1.0"').waitFor()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByLabel('Select deleteOrder').uncheck()
    await page.getByRole('button', { name: 'Create with 1 tool' }).waitFor()
    assert.equal((await app.get<{ items: unknown[] }>('/api/v1/connectors')).items.length, 0)
    await page.getByRole('button', { name: 'Create with 1 tool' }).click()
    await page.getByRole('link', { name: 'getOrder' }).waitFor()
    await becomes(() => page.getByRole('link', { name: 'deleteOrder' }).count(), 0)

    // It is reachable on a phone, too.
    await page.setViewportSize({ width: 390, height: 844 })
    await goTo(page, '/connectors')
    await page.getByRole('link', { name: 'Import', exact: true }).click()
    await page.setViewportSize({ width: 1440, height: 900 })
    // What was chosen for one call says nothing about the next one at the same address.
    await page
      .getByRole('textbox', { name: 'OpenAPI document' })
      .fill('curl https://api.example.com/v1/refunds')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('checkbox', { name: /^Select .*refunds/ }).uncheck()
    await page.getByRole('button', { name: 'Start over' }).click()
    await page
      .getByRole('textbox', { name: 'curl command' })
      .fill("curl 'https://api.example.com/v1/customers?limit=5' -H 'Authorization: Bearer planted'")
    await page.getByRole('button', { name: 'Preview' }).click()
    // Another base URL may be another API, which must not get Shop's credential by itself.
    await page.getByText('The pasted credential is stored encrypted with the new connector').waitFor()
    await page.getByRole('button', { name: 'Create with 1 tool' }).waitFor()
    await page.getByRole('combobox', { name: 'Add to' }).click()
    await page.getByRole('option', { name: 'Shop' }).click()
    await page.getByText('The import uses “Bearer token”, but Shop uses “None”').waitFor()
    await page.getByText('The pasted credential is dropped').waitFor()
    await page.getByRole('cell', { name: /Inputs: limit\*? \((string|integer)\)/ }).waitFor()
    const weak = page.getByRole('cell', { name: /Weak description: say what .* does and when to use it\.$/ })
    await weak.waitFor()
    await page.getByRole('button', { name: /^Edit description of / }).click()
    await page.getByRole('textbox', { name: /^Description of / }).fill('Lists customers, newest first')
    await weak.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Add 1 tool' }).click()
    await page.getByRole('heading', { name: 'Shop' }).waitFor()
    await page.getByRole('link', { name: 'getOrder' }).waitFor()
    await page
      .getByRole('row', { name: /customers/ })
      .getByText('/customers', { exact: false })
      .first()
      .waitFor()
    const { items } = await app.get<{ items: { tools: { path: string; description: string }[] }[] }>(
      '/api/v1/connectors',
    )
    assert.deepEqual(
      items.map(({ tools }) => tools.map(({ path }) => path)),
      [['/orders/{id}', '/customers']],
    )
    assert.equal(items[0]?.tools[1]?.description, 'Lists customers, newest first')
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

verifies(
  'dashboard:configure-connectors',
  'tools that are added to a connector one by one are all counted, although the page sees each of them arrive',
  async () => {
    await using app = await startTestApp({ admin })
    const baseUrl = 'https://parcels.example.com'
    await app.api('POST', '/api/v1/connectors', { type: 'http', name: 'Parcels', baseUrl, authType: 'none' })
    await using visitor = await visit(app)
    const { page } = visitor
    const listening = page.waitForResponse('**/api/v1/stream')
    await goTo(page, '/connectors/import')
    await listening
    const operation = (operationId: string) => ({ get: { operationId, responses: {} } })
    await page.getByLabel('OpenAPI document').fill(
      JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'Parcels' },
        servers: [{ url: baseUrl }],
        paths: { '/a': operation('first'), '/b': operation('second') },
      }),
    )
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.route('**/tools', async (route) => {
      if (route.request().postData()?.includes('second'))
        await page.getByText('Already exist and stay unchanged: first').waitFor()
      await route.continue()
    })
    await page.getByRole('button', { name: 'Add 2 tools' }).click()
    await page.getByText('Added 2 tools').waitFor()
  },
)

verifies(
  ['dashboard:same-validation', 'dashboard:typed-stays'],
  'a header that is named twice, or not at all, is refused at its row instead of being dropped',
  async () => {
    await using app = await startTestApp({ admin })
    await using visitor = await visit(app)
    const { page } = visitor
    await goTo(page, '/connectors/new')
    await page.getByLabel('Name').fill('Shop')
    await page.getByLabel('Base URL').fill('https://shop.example.com')
    await page.getByRole('button', { name: /^Headers and timeout/ }).click()
    for (const [at, name] of ['X-Store', 'x-store', ''].entries()) {
      await page.getByRole('button', { name: 'Add header' }).click()
      await page.getByLabel(`Name of header ${at + 1}`).fill(name)
      await page.getByLabel(`Value of header ${at + 1}`).fill(`value ${at}`)
    }
    await page.getByRole('button', { name: 'Save & test' }).click()
    await page.getByText('This header is already listed above.').waitFor()
    await page.getByText('Enter a header name, or remove the row.').waitFor()
    await becomes(() => page.getByLabel('Value of header 3').inputValue(), 'value 2')
    assert.deepEqual((await app.get<{ items: unknown[] }>('/api/v1/connectors')).items, [])
  },
)
