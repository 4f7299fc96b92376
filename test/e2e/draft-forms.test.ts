import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { startFilledApp } from '../support/start-filled-app.ts'
import { general } from '../support/start-shop.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

type Form = {
  path: string
  field: (page: Page) => Locator
  text?: string
  /** What is collapsed or in a dialog. */
  open?: (page: Page) => Promise<void>
}

const labelled = (name: string) => (page: Page) => page.getByLabel(name, { exact: true }).first()

function formsOf(paths: readonly string[]): Form[] {
  const pathTo = (beginning: RegExp) => paths.find((path) => beginning.test(path)) ?? ''
  return [
    { path: '/settings/users', field: labelled('Email'), text: 'half@' },
    { path: '/settings/keys', field: labelled('Name') },
    { path: '/settings/account', field: labelled('Name') },
    { path: '/settings/agent', field: (page) => page.getByLabel('Instructions') },
    { path: '/webhooks/new', field: (page) => page.getByLabel('Prompt') },
    { path: '/connectors/new', field: (page) => page.getByLabel('Base URL') },
    { path: '/connectors/new?type=mcp', field: (page) => page.getByLabel('Name') },
    { path: '/connectors/import?from=url', field: (page) => page.getByLabel('URL of an OpenAPI document') },
    { path: pathTo(/\/tools\/new$/), field: (page) => page.getByLabel('Description').first() },
    { path: '/approvals', field: labelled('Reason') },
    { path: `/channels/${general}`, field: labelled('New channel name') },
    {
      path: `/channels/${general}`,
      field: labelled('Name'),
      open: async (page) => {
        await page.getByRole('button', { name: 'Actions for this channel' }).click()
        await page.getByRole('menuitem', { name: 'Settings' }).click()
      },
    },
    {
      path: pathTo(/^\/events\/evt_/),
      field: (page) => page.getByLabel('Draft prompt'),
      open: async (page) => await page.getByRole('button', { name: 'Replay lab' }).click(),
    },
  ]
}

verifies(
  'dashboard:typed-stays',
  'a form that is left half filled is restored after Back, except for passwords',
  async () => {
    await using filled = await startFilledApp({ text: 'Orders' })
    await using visitor = await visit(filled.app, admin)
    const { page } = visitor
    for (const { path, field, text = 'half', open } of formsOf(filled.paths)) {
      await goTo(page, path)
      await open?.(page)
      await field(page).fill(text)
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: 'Runs', exact: true }).click()
      await page.getByRole('heading', { name: 'Runs' }).waitFor()
      await page.goBack()
      await open?.(page)
      await becomes(() => field(page).inputValue(), text)
    }

    await goTo(page, '/settings/account')
    await page.getByLabel('New password').fill('not to be kept')
    const kept = async () => String(await page.evaluate('JSON.stringify({ ...sessionStorage })'))
    await becomes(async () => (await kept()).includes('not to be kept'), false)
    // After sending, the draft is gone.
    await goTo(page, '/settings/users')
    await page.getByLabel('Name', { exact: true }).fill('Mia')
    await page.getByLabel('Email', { exact: true }).fill('mia@example.com')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('dialog', { name: 'Share this link' }).waitFor()
    await becomes(async () => (await kept()).includes('mia@example.com'), false)
  },
)

const parcels = {
  openapi: '3.1.0',
  info: { title: 'Parcels' },
  servers: [{ url: 'https://parcels.example.com/v1' }],
  paths: {
    '/parcels': {
      get: { operationId: 'listParcels', responses: {} },
      post: { operationId: 'createParcel', responses: {} },
    },
  },
}

verifies(
  'dashboard:typed-stays',
  'which operations were picked, and what each may do, is still chosen after another page and after a reload',
  async () => {
    await using app = await startTestApp({ admin })
    await using visitor = await visit(app)
    const { page } = visitor
    const list = page.getByLabel('Select listParcels')
    const create = page.getByLabel('Capability of createParcel')
    const chosen = async () => [await list.isChecked(), await create.inputValue()]
    const secret = 'a-secret-of-parcels'
    await goTo(page, '/connectors/import')
    await page.getByLabel('OpenAPI document').fill(
      JSON.stringify({
        ...parcels,
        security: [{ token: [] }],
        components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      }),
    )
    await page.getByRole('button', { name: 'Preview' }).click()
    await list.uncheck()
    await create.selectOption('destructive')
    await page.getByLabel('Secret').fill(secret)
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    await page.goBack()
    await becomes(chosen, [false, 'destructive'])
    await page.getByText('Unsaved changes restored').waitFor()

    await page.reload()
    await page.getByRole('button', { name: 'Preview' }).click()
    await becomes(chosen, [false, 'destructive'])
    assert.equal(await page.getByLabel('Secret').inputValue(), '')
    assert.doesNotMatch(
      String(await page.evaluate('JSON.stringify({ ...sessionStorage })')),
      new RegExp(secret),
    )

    await page.getByRole('button', { name: 'Create with 1 tool' }).click()
    await page.waitForURL(/\/connectors\/con_/)
    await goTo(page, '/connectors/import')
    await page.getByRole('button', { name: 'Preview' }).waitFor()
    assert.doesNotMatch(String(await page.evaluate('JSON.stringify({ ...sessionStorage })')), /parcels/i)
  },
)
