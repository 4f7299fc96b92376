import assert from 'node:assert/strict'
import { becomes } from '../support/becomes.ts'
import { admin, visit } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { startProxy } from '../support/start-proxy.ts'
import { general } from '../support/start-shop.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'dashboard:below-a-path',
  'under a path of a proxy, whether or not it strips the path: pages, live changes, sign-in and webhooks',
  async () => {
    const port = await freePort()
    await using proxy = await startProxy(`http://127.0.0.1:${port}`)
    const home = `${proxy.url}/bellhop`
    await using app = await startTestApp({ admin, env: { PUBLIC_URL: home, PORT: String(port) } })
    await using visitor = await visit({ ...app, url: proxy.url }, null)
    const { page } = visitor
    const made = await app.api<{ endpointUrl: string }>('POST', '/bellhop/api/v1/webhooks', {
      name: 'Shop orders',
      channelId: general,
      prompt: 'Say what was ordered.',
    })
    assert.equal(made.status, 201, made.text)
    assert.ok(made.body.endpointUrl.startsWith(`${home}/hooks/`))

    for (const takesAway of ['', '/bellhop']) {
      proxy.takesAway = takesAway
      await page.goto(`${home}/runs?status=failed`)
      await page.getByLabel('Email').fill(admin.email)
      await page.getByLabel('Password', { exact: true }).fill(admin.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Runs' }).waitFor()
      await becomes(() => page.url(), `${home}/runs?status=failed`)
      const cookies = await page.context().cookies(home)
      assert.deepEqual(
        cookies.map(({ path }) => path),
        ['/bellhop'],
      )

      await page.getByRole('link', { name: 'Channels' }).click()
      await page.getByRole('heading', { name: '#general' }).waitFor()
      const rung = await fetch(made.body.endpointUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{"order":"A-1042${takesAway}"}`,
      })
      assert.equal(rung.status, 200)
      await page.getByText(`A-1042${takesAway}`).first().waitFor()
      await page.reload()
      await page.getByRole('heading', { name: '#general' }).waitFor()
      await becomes(() => page.url(), `${home}/channels/${general}`)

      await page.getByRole('button', { name: /, menu$/ }).click()
      const docs = page.getByRole('menuitem', { name: 'API reference' })
      await becomes(() => docs.getAttribute('href'), '/bellhop/api/docs')
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByLabel('Email').waitFor()
      await becomes(() => page.url(), `${home}/sign-in`)
    }
  },
)
