import assert from 'node:assert/strict'
import { soak } from '../../bench/soak.ts'
import { prepareDataFolder } from '../support/prepare-data-folder.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'runs:steady-load',
  'under a steady load every event has its reply, and the report says what it took and what it left behind',
  async () => {
    await using folder = await temporaryFolder()
    const { load, lost, replies, idle, tables } = await soak({
      minutes: 0.05,
      rate: 10,
      idleSeconds: 1,
      finishedJobs: 1000,
      dataDir: await prepareDataFolder(folder.path),
    })
    assert.deepEqual([load.accepted, load.refused, lost, replies], [30, 0, 0, 30])
    assert.ok(load.samples.length > 0)
    for (const { memoryMb, nodeCores, postgresCores } of load.samples)
      assert.ok(memoryMb > 50 && nodeCores > 0 && postgresCores > 0)
    // PostgreSQL counts rows by estimate.
    assert.ok((tables.find(({ table }) => table === 'events')?.mb ?? 0) > 0)
    // A finished job is deleted; only those that were put there are left.
    assert.ok((idle.withFinishedJobs?.rows ?? 0) >= 1000 && (idle.withFinishedJobs?.rows ?? 0) < 1010)
  },
)
