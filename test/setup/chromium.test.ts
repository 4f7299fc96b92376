import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verifies } from '../support/verifies.ts'
import { type FakeCheckout, fakeCheckout, npmThatInstalls } from './fake-checkout.ts'

verifies(
  'house:finds-chromium',
  'a Chromium on the path, or named with CHROMIUM_PATH, is enough',
  async () => {
    await using checkout = await installed()
    await writeFile(join(checkout.path, 'my-browser'), '', { mode: 0o755 })
    const named = await checkout.setup({
      args: ['--test'],
      env: { CHROMIUM_PATH: join(checkout.path, 'my-browser') },
    })
    assert.deepEqual(named, { code: 0, said: '' })

    await checkout.program('google-chrome', '')
    assert.deepEqual(await checkout.setup({ args: ['--test'] }), { code: 0, said: '' })
  },
)

verifies('house:finds-chromium', 'a CHROMIUM_PATH that does not exist is reported', async () => {
  await using checkout = await installed()
  const { code, said } = await checkout.setup({
    args: ['--test'],
    env: { CHROMIUM_PATH: '/nowhere/chromium' },
  })

  assert.equal(code, 1)
  assert.match(said, /CHROMIUM_PATH names \/nowhere\/chromium, which is not a program/)
})

verifies(
  'house:finds-chromium',
  'without one, an ordinary user gets the exact command and nothing is installed',
  async () => {
    await using checkout = await installed()
    await checkout.program('apt-get', '')
    const { code, said } = await checkout.setup({ args: ['--test'], asOrdinaryUser: true })

    assert.equal(code, 1)
    assert.match(said, /sudo apt-get update && sudo apt-get install -y chromium-headless-shell/)
    assert.deepEqual(
      (await checkout.calls()).filter((call) => call.startsWith('apt-get')),
      [],
    )
  },
)

if (process.getuid?.() === 0) {
  verifies('house:finds-chromium', 'without one, root gets it installed from Debian', async () => {
    await using checkout = await installed()
    await checkout.program(
      'apt-get',
      'cp "$CHECKOUT/programs/npm" "$CHECKOUT/programs/chromium-headless-shell"',
    )
    const { code, said } = await checkout.setup({ args: ['--test'] })

    assert.equal(code, 0, said)
    assert.deepEqual((await checkout.calls()).slice(-2), [
      'apt-get update',
      'apt-get install -y --no-install-recommends chromium-headless-shell',
    ])
  })
}

async function installed(): Promise<FakeCheckout> {
  const checkout = await fakeCheckout()
  await checkout.program('npm', npmThatInstalls)
  await checkout.setup()
  return checkout
}
