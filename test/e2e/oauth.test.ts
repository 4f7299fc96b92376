import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { startOauthScene } from '../connectors/oauth-scene.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  ['dashboard:oauth', 'mcp:oauth-hint'],
  'a server that wants somebody to sign in is connected, reconnected and disconnected from the dashboard',
  async () => {
    await using scene = await startOauthScene()
    await using app = await startTestApp({ admin, env: loopback })
    await using visitor = await visit(app)
    const { page } = visitor

    await goTo(page, '/connectors/new?type=mcp')
    await page.getByLabel('Name').fill('Docs')
    await page.getByLabel('URL').fill(scene.url)
    await page.getByRole('button', { name: 'Save & test' }).click()
    await page.getByText('Reachable, but somebody must sign in').waitFor()
    await page.getByRole('button', { name: 'Use OAuth' }).click()
    await page.getByText(`Docs wants you to sign in at ${scene.server.pair}`).waitFor()
    await page.getByRole('button', { name: `Sign in at ${scene.server.pair}` }).click()
    await page.getByText('Connected as kim@example.test').waitFor()
    await page.getByRole('link', { name: 'read_page' }).waitFor()

    await sql`
      update connector_grants set state = 'reconnect', access_token = null, last_error = '<b>revoked</b>'`.execute(
      app.app.ctx.db,
    )
    await goTo(page, `${app.url}/`)
    await page.getByText('Docs must be reconnected: its access has ended').click()
    await page.getByText('<b>revoked</b>').waitFor()
    const used = scene.tokens.length
    await page.getByRole('button', { name: `Sign in at ${scene.server.pair}` }).click()
    await page.getByRole('button', { name: 'Reconnect' }).waitFor()
    await until(async () => scene.tokens.length > used)
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
    await page.getByText('Docs is not connected').waitFor()
    await until(async () => !(await scene.server.isValid(scene.tokens.at(-1) ?? '')))
    // The browser left for the authorization server, and for no other place.
    const left = visitor.faults.splice(0)
    assert.deepEqual(
      left.filter((fault) => !fault.startsWith(`asked another host: ${scene.server.issuer}/`)),
      [],
    )
  },
)
