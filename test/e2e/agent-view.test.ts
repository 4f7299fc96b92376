import assert from 'node:assert/strict'
import { join } from '../accounts/visitor.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { textsOf } from '../support/model-script.ts'
import { sayAs } from '../support/say-as.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback, admin }))

verifies(
  ['runs:prompt-shown', 'approvals:names-earlier-call'],
  'the page of a run unfolds what the model was sent, and a second question names the first',
  async () => {
    let asked = 0
    await using model = await startStubAnthropic(({ json }) =>
      (textsOf(json.messages).at(-1) ?? '').includes('request of')
        ? { calls: [{ name: 'shop__refund', input: { id: `A-${++asked}` } }] }
        : { text: 'Seen.' },
    )
    await using shop = await startShopOn(await sharedApp(), { model })
    const run = await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
    await using visitor = await visit(shop.app)
    const { page } = visitor
    await goTo(page, `/runs/${run.id}`)
    await page.getByRole('button', { name: 'Event received' }).click()
    await page.getByRole('tab', { name: 'Prompt' }).click()
    await page.getByRole('button', { name: 'What the model was sent' }).click()
    await page.getByText(/The first step: .+ about [\d,]+ tokens\. Tokens are estimated/).waitFor()
    await page.getByRole('button', { name: /^Event .*about \d+ tokens/ }).click()
    await page.getByRole('region', { name: 'Event' }).getByText('"order.paid"').waitFor()

    const member = await join(shop.app, 'member')
    const threadId = await sayAs(shop, member, '@bellhop refund A-1')
    const cards = async () => (await shop.messages()).filter(({ card }) => card !== null)
    await until(async () => (await cards()).length === 1)
    await sayAs(shop, member, '@bellhop sorry, A-2', threadId)
    await until(async () => (await cards()).length === 2)
    const second = (await cards()).find(({ card }) => JSON.stringify(card).includes('Earlier in this thread'))
    const { items } = await shop.app.get<{ items: { id: string }[] }>(
      `/api/v1/approvals?runId=${second?.runId}`,
    )
    await goTo(page, `/approvals/${items[0]?.id}`)
    const named = page.getByText('The same tool still waits for a decision in this thread:')
    await named.getByText('/orders/A-1/refund').waitFor()
    await named.getByRole('link', { name: 'Open approval' }).click()
    await page.waitForURL(/\/approvals\/apr_/)
    await goTo(page, `/channels/${shop.channelId}?thread=${threadId}`)
    await page.getByRole('complementary', { name: 'Thread' }).getByText('the same tool still waits').waitFor()
  },
)

verifies(
  ['permissions:reads-across', 'dashboard:configure-webhooks'],
  'the limit on reading across connectors is set in the forms of a webhook and of a channel',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    const { id } = await shop.createWebhook()
    await using visitor = await visit(shop.app)
    const { page } = visitor
    const box = page.getByRole('checkbox', { name: 'Ask before a run uses a second connector' })
    await goTo(page, `/webhooks/${id}?tab=settings`)
    await page.getByRole('button', { name: /^Permissions and limits/ }).click()
    await box.check()
    await page.getByRole('button', { name: 'Save' }).click()
    const readsAcross = async (path: string) =>
      (await shop.app.get<{ readsAcross: string }>(`/api/v1/${path}`)).readsAcross
    await until(async () => (await readsAcross(`webhooks/${id}`)) === 'one')

    await goTo(page, `/channels/${shop.channelId}`)
    await page.getByRole('button', { name: 'Actions for this channel' }).click()
    await page.getByRole('menuitem', { name: 'Settings' }).click()
    await box.check()
    await page.getByRole('button', { name: 'Save' }).click()
    await until(async () => (await readsAcross(`channels/${shop.channelId}`)) === 'one')
    assert.ok(visitor.requests.includes(`PATCH /api/v1/channels/${shop.channelId}`))
  },
)
