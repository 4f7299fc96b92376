import assert from 'node:assert/strict'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { startSmallMcp } from '../support/start-small-mcp.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const readPage = {
  name: 'read_page',
  description: 'Reads a page',
  inputSchema: { type: 'object', properties: { title: { type: 'string' } } },
  annotations: { readOnlyHint: true },
}

verifies(
  'dashboard:configure-connectors',
  'the tools of an MCP server are enabled by a person, and a change shows as a difference to accept',
  async () => {
    await using mcp = await startSmallMcp([readPage])
    await using app = await startTestApp({ admin, env: { EGRESS_PRIVATE_EXCEPTIONS: mcp.pair } })
    await using visitor = await visit(app)
    const { page } = visitor

    await goTo(page, '/connectors/new?type=mcp')
    await page.getByLabel('Name').fill('Docs')
    await page.getByLabel('URL').fill(`${mcp.origin}/mcp`)
    await page.getByRole('combobox', { name: 'Authentication' }).click()
    await page.getByRole('option', { name: 'Bearer token' }).click()
    await page.getByLabel('Secret', { exact: true }).fill('planted-mcp-token')
    await page.getByRole('button', { name: 'Save & test' }).click()
    await page.getByText('Reachable', { exact: true }).waitFor()
    const tokenIsSet = async () =>
      (await app.get<{ items: { authValue: { set: boolean } }[] }>('/api/v1/connectors')).items[0]?.authValue
        .set
    await becomes(tokenIsSet, true)
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByRole('combobox', { name: 'Authentication' }).click()
    await page.getByRole('option', { name: 'None' }).click()
    await page.getByRole('button', { name: 'Save & test' }).click()
    await until(async () => (await tokenIsSet()) === false)
    await page.getByRole('tab', { name: 'Tools' }).click()
    const inList = page.getByRole('row').filter({ hasText: 'read_page' })
    await inList.getByText('New', { exact: true }).waitFor()
    await inList.getByRole('link', { name: 'read_page' }).click()
    const tool = page.getByRole('region', { name: 'read_page' })
    await tool.getByText('New', { exact: true }).waitFor()
    await tool.getByRole('button', { name: 'Enable' }).click()
    await tool.getByText('Enabled', { exact: true }).waitFor()
    await tool.getByRole('button', { name: 'Turn off' }).click()
    await tool.getByText('Off', { exact: true }).waitFor()
    // Every decision is in the history, and can be restored.
    await page.getByRole('button', { name: /^Revision 2/ }).click()
    await page.getByRole('button', { name: 'Restore revision 2' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore revision 2' }).click()
    await tool.getByText('Enabled', { exact: true }).waitFor()
    await tool
      .getByRole('combobox', { name: 'Capability of read_page' })
      .and(page.locator('[value=Read]'))
      .waitFor()
    await tool.getByRole('table', { name: 'Inputs' }).getByText('title').waitFor()

    await tool.getByRole('button', { name: 'Try it' }).click()
    await tool.getByLabel('title').fill('Start')
    await tool.getByRole('button', { name: 'Send' }).click()
    await tool.getByText('The page says hello.').waitFor()

    mcp.published.tools = [{ ...readPage, description: 'Reads a page and tells everybody' }]
    await page.getByRole('link', { name: 'Back to the connector' }).click()
    await page.getByRole('button', { name: 'Refresh tools' }).click()
    await inList.getByText('Changed', { exact: true }).waitFor()
    await inList.getByRole('link', { name: 'read_page' }).click()
    const difference = page.getByRole('region', { name: 'What changed in read_page' })
    await difference.waitFor()
    assert.match(
      (await difference.textContent()) ?? '',
      /removed: .*"Reads a page".*added: .*tells everybody/s,
    )
    await goTo(page, '/')
    await page.getByRole('link', { name: /Docs changed 1 tool/ }).click()
    await inList.getByRole('link', { name: 'read_page' }).click()
    await tool.getByRole('button', { name: 'Accept change' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Accept change' }).click()
    await tool.getByText('Enabled', { exact: true }).waitFor()
  },
)

verifies(
  'dashboard:configure-connectors',
  'all tools that only read are enabled at once, after a look at their names; the others stay as they are',
  async () => {
    const named = (name: string, readOnlyHint: boolean) => ({
      ...readPage,
      name,
      annotations: { readOnlyHint },
    })
    await using mcp = await startSmallMcp([named('list', true), named('find', true), named('write', false)])
    await using app = await startTestApp({ admin, env: { EGRESS_PRIVATE_EXCEPTIONS: mcp.pair } })
    const draft = { type: 'mcp', name: 'Docs', url: `${mcp.origin}/mcp`, authType: 'none' }
    const { id } = (await app.api<{ id: string }>('POST', '/api/v1/connectors', draft)).body
    await app.api('POST', `/api/v1/connectors/${id}/refresh`)
    await using visitor = await visit(app)
    const { page } = visitor
    await goTo(page, `/connectors/${id}`)
    await page.getByRole('button', { name: 'Enable the 2 reads' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('list, find').waitFor()
    await dialog.getByRole('button', { name: 'Enable 2' }).click()
    await page.getByText('Enabled 2 tools').waitFor()
    const { tools } = await app.get<{ tools: { name: string; state: string }[] }>(`/api/v1/connectors/${id}`)
    assert.deepEqual(tools.map(({ name, state }) => `${name} ${state}`).toSorted(), [
      'find enabled',
      'list enabled',
      'write new',
    ])

    // Several are decided in the list.
    for (const name of ['list', 'write']) await page.getByLabel(`Select ${name}`).click()
    await page.getByRole('button', { name: 'Turn off 2' }).click()
    await page.getByText('Turned off 2 tools').waitFor()
    await page.getByLabel('Select all rows').click()
    await page.getByRole('button', { name: 'Enable 2' }).click()
    const after = async () =>
      (
        await app.get<{ tools: { name: string; state: string; capability: string }[] }>(
          `/api/v1/connectors/${id}`,
        )
      ).tools
        .map(({ name, state, capability }) => `${name} ${state} ${capability}`)
        .toSorted()
        .join(', ')
    await becomes(after, 'find enabled read, list enabled read, write enabled write')
  },
)
