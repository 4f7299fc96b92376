import assert from 'node:assert/strict'
import { test } from 'node:test'
import { benchAccept } from '../../bench/accept.ts'
import { benchLists } from '../../bench/lists.ts'
import { prepareDataFolder } from '../support/prepare-data-folder.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// Cites no requirement: it proves that the bench works, and no figure. Figures are measured on a quiet machine.
test('the bench sends the same signed deliveries to a bare server, a durable one and the service, and compares them', async () => {
  await using folder = await temporaryFolder()
  const dataDir = await prepareDataFolder(folder.path)
  const extent = { warmUpRounds: 0, rounds: 1, roundMs: 50, steadySeconds: 0.2, dataDir }
  // A delivery that is not accepted ends it with an error.
  const figures = await benchAccept(extent)
  for (const [name, figure] of Object.entries(figures)) {
    assert.ok(Number.isFinite(figure) && figure > 0, `${name} is ${figure}`)
  }
  assert.equal(figures.throughputRatio, figures.acceptPerSecond / figures.barePerSecond)
  assert.equal(figures.p99Ratio, figures.acceptP99Ms / figures.bareP99Ms)
})

test('the bench fills a database as the service would, so that every list can be read', async () => {
  await using folder = await temporaryFolder()
  const dataDir = await prepareDataFolder(folder.path)
  const size = { webhooks: 10, events: 200 }
  // A list that is not answered with 200 ends it with an error.
  const figures = await benchLists({
    rounds: 1,
    small: size,
    large: size,
    waiting: 100,
    deliveries: 100,
    dataDir,
  })
  assert.ok(Object.values(figures).every((figure) => Number.isFinite(figure) && figure > 0))
})
