import assert from 'node:assert/strict'
import { prepareDataFolder } from '../support/prepare-data-folder.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { verifies } from '../support/verifies.ts'
import { killRound, victims } from './kill-round.ts'

verifies(
  'db:survives-kill',
  'whichever process is killed while rows are written, the next start has every acknowledged row and needs no manual repair',
  async () => {
    await using folder = await temporaryFolder()
    await prepareDataFolder(folder.path)
    for (const victim of victims) {
      const { committed, kept } = await killRound(folder.path, victim)
      assert.ok(committed >= 20 && kept >= committed, `${victim}: ${committed} committed, ${kept} kept`)
    }
  },
)
