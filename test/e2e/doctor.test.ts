import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { Webhooks } from '@octokit/webhooks'
import Stripe from 'stripe'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const secret = 'whsec_planted_0123456789'
const body = '{"id":"evt_1","amount":12}'

verifies(
  ['verify:doctor', 'hooks:refusals-visible', 'verify:check-again'],
  'the page of a webhook says in words why each delivery was refused',
  async () => {
    await using app = await startTestApp({ admin, env: { ROLE: 'web' } })
    const channels = await app.get<{ items: { id: string }[] }>('/api/v1/channels')
    const { body: webhook } = await app.api<{ id: string; endpointUrl: string }>('POST', '/api/v1/webhooks', {
      name: 'Payments',
      channelId: channels.items[0]?.id,
      prompt: 'Say what came in.',
      verification: { preset: 'stripe', secrets: [secret] },
    })
    const stripe = (options: { secret?: string; secondsAgo?: number } = {}) =>
      Stripe.webhooks.generateTestHeaderString({
        payload: body,
        secret: options.secret ?? secret,
        timestamp: Math.floor(Date.now() / 1000) - (options.secondsAgo ?? 0),
      })
    const deliveries: [headers: Record<string, string>, body: string, words: RegExp][] = [
      [{}, body, /The header Stripe-Signature is missing\. Set the secret at the sender/],
      [
        { 'stripe-signature': stripe({ secret: 'whsec_another' }) },
        body,
        /made with another secret, or the body was changed/,
      ],
      [{ 'stripe-signature': stripe() }, `${body}\n`, /line break was added at its end/],
      // Time passes between signing and checking.
      [
        { 'stripe-signature': stripe({ secondsAgo: 412 }) },
        body,
        /correct, but it is 4\d\d s old \(300 s are allowed\)/,
      ],
      [
        { 'x-hub-signature-256': await new Webhooks({ secret }).sign(body) },
        body,
        /signed the way GitHub does, and the secret is correct, but this webhook is set to Stripe/,
      ],
      [
        { 'linear-signature': createHmac('sha256', 'other').update(body).digest('hex') },
        body,
        /looks like one from Linear, but this webhook is set to Stripe/,
      ],
    ]
    // The last one is refused for the same reason as the first.
    for (const [headers, sent] of [...deliveries, ...deliveries.slice(0, 1)]) {
      const answer = await fetch(webhook.endpointUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: sent,
      })
      assert.equal(answer.status, 401)
      assert.doesNotMatch(await answer.text(), /Stripe|secret is correct|line break/)
      // Only five are stored in full at a time, and all of these are needed.
      await app.app.ctx.webhooks.flush()
    }
    await using visitor = await visit(app)
    const { page } = visitor
    await goTo(page, `/webhooks/${webhook.id}`)
    await page.getByRole('tab', { name: 'Refused' }).click()
    for (const [, , words] of deliveries) await page.getByRole('cell', { name: words }).waitFor()
    // A row opens with everything that is kept of each delivery.
    const twice = page.getByRole('row').filter({ hasText: deliveries[0]?.[2] ?? '' })
    await twice.getByRole('cell', { name: '2', exact: true }).waitFor()
    await twice.getByRole('link').click()
    const opened = page.getByRole('region', { name: 'Refused delivery' })
    await opened.getByText('1 of 2').waitFor()
    await opened.getByRole('button', { name: 'Older' }).click()
    await opened.getByText('2 of 2').waitFor()
    await opened.getByText('content-type: application/json').waitFor()
    await opened.getByText(/^401 /).waitFor()
    assert.doesNotMatch(await page.content(), /planted/)
    // The body is shown, and whether the delivery would pass now is one click away.
    await page.getByRole('row').filter({ hasText: 'made with another secret' }).getByRole('link').click()
    await opened.getByText('"amount": 12').waitFor()
    await opened.getByRole('button', { name: 'Check again' }).click()
    await opened.getByText(/^Still refused\. The signature has the right format/).waitFor()
    await app.api('PATCH', `/api/v1/webhooks/${webhook.id}`, {
      verification: { preset: 'stripe', secrets: ['whsec_another'] },
    })
    await opened.getByRole('button', { name: 'Check again' }).click()
    await opened.getByText(/^It passes now/).waitFor()
    // On a phone, too, each is shown completely.
    await page.setViewportSize({ width: 390, height: 844 })
    await becomes(() => page.evaluate(`[...document.querySelectorAll('td')].filter(${isCut}).length`), 0)
  },
)

/** In the page: whether the text of a cell overflows. */
const isCut = `(cell) => {
  const words = document.createRange()
  words.selectNodeContents(cell)
  return words.getBoundingClientRect().bottom > cell.getBoundingClientRect().bottom
}`

verifies(
  ['dashboard:configure-webhooks', 'verify:shared-secret'],
  'what Alertmanager sends is verified by what its form offers, and an emptied field is cleared',
  async () => {
    await using app = await startTestApp({ admin, env: { ROLE: 'web' } })
    await using visitor = await visit(app)
    const { page } = visitor
    await goTo(page, '/webhooks/new')
    await page.getByLabel('Name').fill('Alerts')
    await page.getByRole('combobox', { name: 'Channel' }).click()
    await page.getByRole('option', { name: '#general' }).click()
    await page.getByLabel('Prompt').fill('Say what came in.')
    await page.getByRole('button', { name: 'Verification' }).click()
    await page.getByRole('combobox', { name: 'Sender' }).click()
    await page.getByRole('option', { name: 'Shared secret in a header' }).click()
    await page.getByLabel('Secret', { exact: true }).fill('the-shared-secret')
    await page.getByLabel('Header', { exact: true }).fill('Authorization')
    await page.getByLabel('Prefix').fill('Bearer ')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    const whole = page.getByText(/\/hooks\/whk_[A-Za-z0-9_-]{43}$/)
    await whole.waitFor()
    const url = (await whole.textContent()) ?? ''
    const send = async (headers: Record<string, string>) =>
      (
        await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: '{"version":"4","status":"firing","alerts":[]}',
        })
      ).status
    assert.equal(await send({ authorization: 'Bearer the-shared-secret' }), 200)
    assert.equal(await send({ authorization: 'the-shared-secret' }), 401)

    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByLabel('Prefix').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Webhook saved').waitFor()
    assert.equal(await send({ authorization: 'the-shared-secret' }), 200)
    assert.equal(await send({ authorization: 'Bearer the-shared-secret' }), 401)

    // A second secret for a rotation does not silently replace the first one.
    await page.getByLabel('Second secret').fill('the-next-secret')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Enter this one again, too. Both secrets are replaced.').waitFor()
    assert.equal(await send({ authorization: 'the-shared-secret' }), 200)
    await page.getByLabel('Secret', { exact: true }).fill('the-shared-secret')
    await page.getByRole('button', { name: 'Save' }).click()
    await until(async () => (await send({ authorization: 'the-next-secret' })) === 200)
    assert.equal(await send({ authorization: 'the-shared-secret' }), 200)
  },
)
