import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { general, startShop } from '../support/start-shop.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { assertHarmless, hostile, type InvalidForm, submitInvalid } from '../support/submit-invalid.ts'
import { verifies } from '../support/verifies.ts'

const unfold =
  (...titles: string[]) =>
  async (page: Page) => {
    for (const title of titles) {
      await page.getByRole('button', { name: new RegExp(`^${title}`), expanded: false }).click()
    }
  }

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** A run that waits for an admin. */
async function startScene() {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(
    await startStubOpenai(() => ({ calls: [{ name: 'shop__refund', input: { id: hostile } }] })),
  )
  const shop = stack.use(await startShop({ admin, env: model.env }))
  const webhook = await shop.createWebhook({ name: hostile, prompt: hostile })
  const { runId, eventId } = await shop.sendEvent(webhook, { text: hostile })
  await shop.runWhen(runId, ({ status }) => status === 'waiting')
  const { items } = await shop.app.get<{ items: { id: string }[] }>('/api/v1/approvals')
  const { tools } = await shop.app.get<{ tools: { id: string }[] }>(`/api/v1/connectors/${shop.connectorId}`)
  const opened = stack.move()
  return {
    ...shop,
    webhook,
    eventId,
    approvalId: items[0]?.id,
    tool: `/connectors/${shop.connectorId}/tools/${tools[0]?.id}`,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

verifies(
  ['dashboard:same-validation', 'dashboard:text-never-html'],
  'the nested fields of webhooks, connectors, tools and events show errors, keep invalid input and execute none of it',
  async () => {
    await using scene = await startScene()
    const { app, webhook, connectorId } = scene
    const other = await scene.createWebhook()
    const rotated = await scene.createWebhook()
    const long = `${hostile}${'x'.repeat(21_000)}`
    const header = /letters, digits and -/
    const cases: [path: string, wrong: InvalidForm][] = [
      [
        `/webhooks/${webhook.id}?tab=settings`,
        {
          open: async (page) => {
            await unfold('Permissions and limits', 'Verification', 'Delivery and reply')(page)
            await choose(page, 'Sender', 'Custom signature')
            await choose(page, 'Delivery ID', 'A field in the body')
          },
          fields: {
            Secret: hostile,
            Header: hostile,
            'Signature prefix': hostile.repeat(2),
            'Signature key in the list': hostile,
            'Signed content': '',
            'Timestamp header': hostile,
            'Timestamp field in the body': hostile,
            'Delivery ID field': hostile,
            'Maximum body size': '99,999,999',
            'Per second': '0',
            Burst: '',
            'Concurrent runs': '5,000',
            'Cost per day (USD)': '0',
          },
          submit: 'Save',
          says: {
            Header: header,
            'Signature prefix': /100 characters/,
            'Signature key in the list': /40 characters/,
            'Signed content': /Write what is signed/,
            'Timestamp header': header,
            'Timestamp field in the body': /JSON pointer/,
            'Delivery ID field': /JSON pointer/,
            'Maximum body size': /whole number of bytes/,
            'Per second': /one event a day or more/,
            Burst: /burst of 1 or more/,
            'Concurrent runs': /1 to 1,000/,
            'Cost per day (USD)': /more than 0 dollars/,
          },
        },
      ],
      [
        `/webhooks/${other.id}?tab=settings`,
        {
          open: async (page) => {
            await unfold('Delivery and reply')(page)
            await choose(page, 'Delivery ID', 'Another header')
          },
          fields: { 'Delivery ID header': hostile },
          submit: 'Save',
          says: { 'Delivery ID header': header },
        },
      ],
      [
        `/webhooks/${rotated.id}?tab=settings`,
        {
          open: async (page) => {
            await unfold('Verification')(page)
            await choose(page, 'Sender', 'Standard Webhooks')
          },
          fields: { Secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'Second secret': hostile },
          submit: 'Save',
          says: { 'Second secret': /cannot be read/ },
        },
      ],
      [
        '/start?step=2',
        {
          fields: { Name: hostile.repeat(3), Prompt: long },
          submit: 'Create webhook',
          says: { Name: /200 characters/, Prompt: /20,000 characters/ },
        },
      ],
      [
        `/events/${scene.eventId}`,
        {
          open: async (page) => {
            await unfold('Replay lab')(page)
            await choose(page, 'Model', 'Anthropic')
          },
          fields: { 'Draft prompt': ' ', 'Model name': '' },
          submit: 'Try draft',
          says: { 'Draft prompt': /Tell the agent/, 'Model name': /Enter the model name/ },
        },
      ],
      [
        `/events/${scene.eventId}`,
        {
          // The provider was kept with the rest of the form.
          open: unfold('Replay lab'),
          fields: { 'Draft prompt': hostile, 'Model name': hostile },
          submit: 'Try draft',
          says: { Model: /no account for anthropic/ },
        },
      ],
      [
        '/connectors/new',
        {
          open: async (page) => {
            await unfold('Headers and timeout')(page)
            await page.getByRole('button', { name: 'Add header' }).click()
          },
          fields: {
            Name: hostile,
            'Base URL': 'https://shop.example.com',
            'Name of header 1': hostile,
            'Value of header 1': hostile,
          },
          submit: 'Save & test',
          says: { 'Name of header 1': /header name/ },
        },
      ],
      [
        '/connectors/new?type=mcp',
        {
          fields: { Name: hostile, URL: `https://mcp.example.com/mcp?api_key=${'k'.repeat(20)}` },
          submit: 'Save & test',
          says: { URL: /looks like a credential/ },
        },
      ],
      [
        '/connectors/import',
        {
          fields: { 'OpenAPI document': hostile },
          submit: 'Preview',
          says: { 'OpenAPI document': /neither valid JSON/ },
        },
      ],
      [
        '/connectors/import?from=url',
        {
          fields: { 'URL of an OpenAPI document': 'http://169.254.169.254/' },
          submit: 'Preview',
          says: { 'URL of an OpenAPI document': /private|not allowed|EGRESS/ },
        },
      ],
      [
        '/connectors/import?from=curl',
        { fields: { 'curl command': hostile }, submit: 'Preview', says: { 'curl command': /curl/ } },
      ],
      [
        '/connectors/import',
        {
          open: async (page) => {
            const paths = { '/orders': { get: { operationId: 'list', summary: hostile } } }
            const document = { openapi: '3.1.0', info: { title: hostile, description: hostile }, paths }
            await page.getByLabel('OpenAPI document').fill(JSON.stringify(document))
            await page.getByRole('button', { name: 'Preview' }).click()
          },
          fields: { Name: hostile, 'Base URL': `javascript:${hostile}` },
          submit: 'Create with 1 tool',
          says: { 'Base URL': /https:/ },
        },
      ],
      [
        `/connectors/${connectorId}/tools/new`,
        {
          fields: { Name: 'find', Description: hostile, Path: hostile, 'Input schema': hostile },
          submit: 'Create tool',
          says: { 'Input schema': /Invalid JSON/ },
        },
      ],
      [
        scene.tool,
        {
          fields: { 'Input schema': '{"type":"<script>globalThis.struck=1</script>"}' },
          submit: 'Save',
          says: { 'Input schema': /type/ },
        },
      ],
    ]
    await using visitor = await visit(app)
    const { page } = visitor
    for (const [path, wrong] of cases) await submitInvalid(page, path, wrong)

    await submitInvalid(page, '/webhooks/new', {
      open: async () => {
        await unfold('Delivery and reply')(page)
        await page.getByRole('combobox', { name: 'Headers shown to the agent' }).fill(hostile)
        await page.keyboard.press('Enter')
      },
      fields: { Name: '', Prompt: hostile },
      submit: 'Create webhook',
      says: { Name: /Give the webhook a name/, 'Headers shown to the agent': /letters, digits/ },
    })
    await becomes(() => page.locator('.mantine-Pill-label').textContent(), hostile)

    await goTo(page, scene.tool)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.locator('.mantine-InputWrapper-error', { hasText: 'This is required.' }).waitFor()
    await page.getByText('JSON', { exact: true }).click()
    await page.getByRole('textbox', { name: 'Input', exact: true }).fill(hostile)
    await page.getByText('Invalid JSON').waitFor()
    await becomes(() => page.getByRole('button', { name: 'Send', exact: true }).isDisabled(), true)
    // A form has no place for half of a text.
    await becomes(() => page.getByRole('radio', { name: 'Form' }).isDisabled(), true)
    await page.getByRole('textbox', { name: 'Input', exact: true }).fill(JSON.stringify({ [hostile]: 1 }))
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'This is required.' }).waitFor()
    await assertHarmless(page)

    for (const path of [`/approvals/${scene.approvalId}`, `/channels/${general}`]) {
      await goTo(page, path)
      const reason = page.getByLabel('Reason', { exact: true })
      await reason.fill(`${hostile}${'x'.repeat(2000)}`)
      await page.getByRole('button', { name: 'Deny', exact: true }).click()
      await page.locator('.mantine-TextInput-error', { hasText: 'characters' }).waitFor()
      assert.match(await reason.inputValue(), /^"><img.*x{2000}$/)
      await assertHarmless(page)
    }
    await page.getByLabel('Reason', { exact: true }).fill(hostile)
    await page.getByRole('button', { name: 'Deny', exact: true }).click()
    await page.getByText('Decided by').waitFor()
    await assertHarmless(page)

    await goTo(page, `/webhooks/${webhook.id}`)
    await page.getByRole('button', { name: 'Actions for this webhook' }).click()
    await page.getByRole('menuitem', { name: 'Rotate URL' }).click()
    await choose(page, 'Keep the old URL working for', 'One week')
    await page.context().setOffline(true)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).click()
    await dialog.getByRole('alert').filter({ hasText: 'Cannot reach Bellhop' }).waitFor()
    await becomes(() => dialog.getByRole('combobox').inputValue(), 'One week')
    await page.context().setOffline(false)
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).click()
    await dialog.getByRole('region', { name: 'New URL' }).waitFor()
    await assertHarmless(page)
  },
)
