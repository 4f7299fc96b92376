import assert from 'node:assert/strict'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'dashboard:thumbs',
  'a reply is rated in the channel, a thumb down asks why, and the run and the list of runs show it',
  async () => {
    await using model = await startStubOpenai(() => ({ text: 'The order was paid.' }))
    await using shop = await startShop({ admin, env: model.env })
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    await shop.endedRun(runId)
    await using ada = await visit(shop.app)
    const { page } = ada
    const rated = async () =>
      (await shop.readRun(runId)).thumbs?.map(({ thumb, reason, note }) => [thumb, reason, note])

    await goTo(page, `/channels/${shop.channelId}`)
    const reply = page.getByRole('article').filter({ hasText: 'The order was paid.' })
    await reply.getByRole('button', { name: 'Good reply' }).click()
    await becomes(async () => JSON.stringify(await rated()), '[["up",null,null]]')
    await reply.getByRole('button', { name: 'Good reply', pressed: true }).waitFor()

    await reply.getByRole('button', { name: 'Bad reply' }).click()
    await page.getByText('What was wrong with this reply?').waitFor()
    await becomes(async () => JSON.stringify(await rated()), '[["down",null,null]]')
    await page.getByText('Incorrect').click()
    await page.getByLabel('Details').fill('The order was refunded.')
    await page.getByRole('button', { name: 'Send feedback' }).click()
    await becomes(
      async () => JSON.stringify(await rated()),
      '[["down","incorrect","The order was refunded."]]',
    )
    await reply.getByRole('button', { name: 'Bad reply', pressed: true }).waitFor()

    await goTo(page, '/runs?thumb=down')
    await page
      .getByRole('link', { name: /Orders/ })
      .first()
      .click()
    await page.getByText('The order was refunded.').waitFor()
    await page.getByRole('button', { name: 'Bad reply', pressed: true }).click()
    await becomes(async () => JSON.stringify(await rated()), '[]')
    await goTo(page, '/runs?thumb=down')
    await page.getByText('No matching runs').waitFor()

    await goTo(page, `/runs/${runId}?rate=down`)
    await page.getByText('What was wrong with this reply?').waitFor()
    assert.deepEqual(await rated(), [])
  },
)
