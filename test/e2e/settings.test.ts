import assert from 'node:assert/strict'
import { becomes } from '../support/becomes.ts'
import { admin, createPerson, goTo, visit } from '../support/browser.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ admin }))

verifies(
  ['dashboard:settings', 'models:fallback'],
  'a fallback is chosen beside the model, with a key of its own, and taken back',
  async () => {
    const app = await sharedApp()
    await using visitor = await visit(app)
    const { page } = visitor
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await goTo(page, '/settings/model')
    await page.getByRole('combobox', { name: 'Fallback' }).click()
    await page.getByRole('option', { name: 'OpenAI', exact: true }).click()
    await save.click()
    await page.getByText('Enter the API key from your provider.').waitFor()
    await page.getByLabel('Fallback API key').fill('a-key-of-the-fallback')
    await page.getByLabel('Fallback longest answer (tokens)').fill('16000')
    await save.click()
    await page.getByText('Settings saved').waitFor()
    type Saved = { model: { source: string }; fallbackModel: Record<string, unknown> | null }
    const { model, fallbackModel } = await app.get<Saved>('/api/v1/settings')
    assert.equal(model.source, 'default', 'the first model was not touched')
    assert.deepEqual(
      [fallbackModel?.label, fallbackModel?.maxOutputTokens, fallbackModel?.apiKey],
      ['OpenAI · gpt-5-mini', 16_000, { set: true }],
    )
    // Choosing it once more takes it back.
    await page.getByRole('combobox', { name: 'Fallback', exact: true }).click()
    await page.getByRole('option', { name: 'OpenAI', exact: true }).click()
    await save.click()
    await becomes(async () => (await app.get<Saved>('/api/v1/settings')).fallbackModel, null)
  },
)

verifies(
  ['dashboard:settings', 'dashboard:same-validation'],
  'invalid settings show errors at their fields, and what was typed stays',
  async () => {
    await using model = await startStubOpenai([{ text: 'ready' }])
    await using app = await startTestApp({ admin, env: model.env })
    await using visitor = await visit(app)
    const { page } = visitor

    // A model of the environment is tested as it is used, at an address that nobody may type in here.
    await goTo(page, '/settings/model')
    await page.getByRole('button', { name: 'Test model' }).click()
    await page.getByText(/gpt-5-mini replied in/).waitFor()
    // Its key is not saved here, so the page does not say that it is kept.
    await page.getByLabel('Base URL').fill('')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Enter the API key from your provider.').waitFor()
    await becomes(() => page.getByText('Leave empty to keep it.').count(), 0)
    // A new user only needs a key: a model name is filled in already.
    await page.getByRole('combobox', { name: 'Provider' }).click()
    await page.getByRole('option', { name: 'Anthropic', exact: true }).click()
    await becomes(() => page.getByRole('combobox', { name: 'Model' }).inputValue(), 'claude-sonnet-4-5')
    await page.getByRole('combobox', { name: 'Provider' }).click()
    await page.getByRole('option', { name: /^OpenAI-compatible/ }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Enter the model name.').waitFor()
    await page.getByRole('combobox', { name: 'Model' }).fill('llama')
    await page.getByLabel('Base URL').fill('http://192.168.1.2/v1')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page
      .getByText(/MODEL_BASE_URL/)
      .first()
      .waitFor()
    await becomes(() => page.getByLabel('Base URL').inputValue(), 'http://192.168.1.2/v1')

    await goTo(page, '/settings/limits')
    const atSteps = page.locator('.mantine-NumberInput-error', {
      hasText: 'Use a whole number from 1 to 200.',
    })
    for (const [typed, shown] of [
      ['100000', '100,000'],
      ['0', '0'],
      ['1.5', '1.5'],
    ] as const) {
      await page.getByLabel('Steps').fill(typed)
      await atSteps.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Save limits' }).click()
      await atSteps.waitFor()
      await becomes(() => page.getByText('Use a whole number from 1 to 200.').count(), 1, 'said once')
      await becomes(() => page.getByLabel('Steps').inputValue(), shown)
    }
    await page.getByLabel('Steps').fill('40')
    await page.getByRole('button', { name: 'Save limits' }).click()
    await page.getByText('Settings saved').waitFor()
    const settings = await app.get<{ limits: { stepsPerRun: number } }>('/api/v1/settings')
    assert.equal(settings.limits.stepsPerRun, 40)

    await page.goto('/settings/no-such-word')
    await page.getByText('Settings page not found').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Search pages and actions').fill('your acc')
    await page.getByRole('button', { name: /^Your account/ }).click()
    await page.getByLabel('Current password').fill('not my password')
    await page.getByLabel('New password').fill('a new long password')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.locator('.mantine-PasswordInput-error').waitFor()
    await becomes(() => page.getByLabel('New password').inputValue(), 'a new long password')
  },
)

verifies(
  'dashboard:settings',
  'another provider does not inherit the address of the former one, and a key can be typed after all',
  async () => {
    const app = await sharedApp()
    const model = { provider: 'openai-compatible', name: 'llama', baseUrl: 'https://llm.example.com/v1' }
    const saved = await app.api('PATCH', '/api/v1/settings', { model: { ...model, apiKey: 'a-key-of-llm' } })
    assert.equal(saved.status, 200, saved.text)
    await using visitor = await visit(app)
    const { page } = visitor
    const choose = async (provider: RegExp) => {
      await page.getByRole('combobox', { name: 'Provider' }).click()
      await page.getByRole('option', { name: provider }).click()
    }
    await goTo(page, '/settings/model')
    await page.getByRole('checkbox', { name: 'Remove stored secret' }).check()
    await choose(/^Anthropic/)
    await becomes(() => page.getByLabel('Base URL').inputValue(), '')
    await page.getByLabel('API key').fill('a-key-of-anthropic')
    await choose(/^OpenAI-compatible/)
    await becomes(() => page.getByLabel('Base URL').inputValue(), model.baseUrl)

    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('checkbox', { name: 'Remove stored secret' }).check()
    await page.getByLabel('Base URL').fill('https://other.example.com/v1')
    await page.getByLabel('API key').fill('a-key-of-other')
  },
)

verifies('dashboard:settings', 'a code to link a chat account that has expired can be replaced', async () => {
  const app = await sharedApp()
  await using visitor = await visit(app)
  const { page } = visitor
  const codes = ['link first', 'link second']
  await page.route('**/api/v1/chat-accounts/code', (route) =>
    route.fulfill({ json: { text: codes.shift(), expiresAt: '2026-01-01T00:00:00.000Z' } }),
  )
  await goTo(page, '/settings/account')
  await page.getByRole('button', { name: 'Link account' }).click()
  await page.getByText('link first').waitFor()
  await page.getByRole('button', { name: 'Create new code' }).click()
  await page.getByText('link second').waitFor()
})

verifies(
  'dashboard:settings',
  'somebody who pauses the agent and leaves the page at once is told when that failed',
  async () => {
    const app = await sharedApp()
    await using visitor = await visit(app)
    const { page } = visitor
    const held = Promise.withResolvers<void>()
    const problem = { type: 'conflict', title: 'Not now', status: 409, detail: 'Somebody was quicker.' }
    await page.route('**/api/v1/settings', async (route) => {
      if (route.request().method() !== 'PATCH') return await route.continue()
      await held.promise
      await route.fulfill({ status: 409, contentType: 'application/problem+json', json: problem })
    })
    await goTo(page, '/settings/agent')
    await page.getByRole('button', { name: 'Pause agent' }).click()
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    held.resolve()
    await page.getByText('Somebody was quicker.').waitFor()
  },
)

verifies(
  ['dashboard:settings', 'dashboard:confirm'],
  'an admin is asked before somebody’s second factor is switched off, since only they can set it up again',
  async () => {
    const app = await sharedApp()
    await createPerson(app, 'Mia', 'member')
    await using visitor = await visit(app)
    const { page, requests } = visitor
    await page.route('**/api/v1/users', async (route) => {
      const answer = (await (await route.fetch()).json()) as { items: object[] } // the shape of every list
      await route.fulfill({
        json: { ...answer, items: answer.items.map((user) => ({ ...user, totp: true })) },
      })
    })
    await goTo(page, '/settings/users')
    await page.getByRole('button', { name: 'Actions for Mia' }).click()
    await page.getByRole('menuitem', { name: 'Turn off two-factor authentication' }).click()
    await page.getByRole('dialog', { name: 'Turn off two-factor authentication for Mia?' }).waitFor()
    assert.deepEqual(
      requests.filter((line) => line.startsWith('DELETE')),
      [],
    )
    await page.getByRole('button', { name: 'Turn off', exact: true }).click()
    await becomes(() => requests.filter((line) => /^DELETE .*\/totp$/.test(line)).length, 1)
  },
)

verifies(
  ['dashboard:settings', 'dashboard:same-validation'],
  'a second price for the same model is refused at its row instead of replacing the first',
  async () => {
    const app = await sharedApp()
    await using visitor = await visit(app)
    const { page } = visitor
    await goTo(page, '/settings/limits')
    // The unit of a time can be read beside its number.
    await page.getByLabel('Unit').first().waitFor()
    const room = await page.evaluate<number>(`{
      const select = document.querySelector('select[aria-label=Unit]')
      select.clientWidth - parseFloat(getComputedStyle(select).paddingRight)
    }`)
    assert.ok(room > 40, `${room} px for the word “minutes”`)
    for (const at of [0, 1]) {
      await page.getByRole('button', { name: 'Add price' }).click()
      await page.getByLabel('Model').nth(at).fill('gpt-5')
    }
    await page.getByRole('button', { name: 'Save prices' }).click()
    await page.getByText('This model is already listed above.').waitFor()
    await becomes(() => page.getByLabel('Model').count(), 2)
  },
)
