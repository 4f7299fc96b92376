import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  ['events:replay-dry', 'dashboard:events'],
  'the replay lab shows what a draft prompt changes, with tokens and cost, and the webhook takes the prompt over',
  async () => {
    await using model = await startStubOpenai([{ text: 'Paid.' }, { text: 'Paid, and ships tomorrow.' }])
    await using shop = await startShop({ admin, env: model.env })
    const webhook = await shop.createWebhook()
    const { runId, eventId } = await shop.sendEvent(webhook)
    await shop.endedRun(runId)
    await using kim = await visit(shop.app)
    const { page } = kim
    await goTo(page, `/events/${eventId}`)
    await page.getByRole('button', { name: 'Replay lab' }).click()
    await page.getByLabel('Draft prompt').fill('Say when it ships, too.')
    await page.getByRole('button', { name: 'Try draft' }).click()
    const difference = page.getByRole('region', { name: 'Difference of the replies' })
    await difference.getByText('Paid, and ships tomorrow.').waitFor()
    await page
      .getByText(/0 tool calls · \d+ tokens · /)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Use this prompt' }).click()
    await becomes(
      async () => (await shop.app.get<{ prompt: string }>(`/api/v1/webhooks/${webhook.id}`)).prompt,
      'Say when it ships, too.',
    )
    await page.getByRole('link', { name: 'in the settings' }).click()
    await page.getByRole('tab', { name: 'Settings', selected: true }).waitFor()
  },
)
