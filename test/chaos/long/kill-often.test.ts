import { temporaryFolder } from '../../support/temporary-folder.ts'
import { verifies } from '../../support/verifies.ts'
import { killRound, victims } from '../kill-round.ts'
import { tellFigures } from '../tell-figures.ts'

const rounds = 24

verifies('db:survives-kill', `${rounds} kills on one data folder lose no acknowledged row`, async () => {
  await using folder = await temporaryFolder()
  let acknowledged = 0
  let slowestStartMs = 0
  for (let round = 1; round <= rounds; round++) {
    const victim = victims[round % victims.length] ?? 'us'
    const { committed, kept, startMs } = await killRound(folder.path, victim)
    acknowledged += committed
    slowestStartMs = Math.max(slowestStartMs, startMs)
    process.stdout.write(
      `${String(round).padStart(3)}/${rounds} killed ${victim.padEnd(14)} ${String(committed).padStart(4)} committed, ` +
        `${kept} rows in all, next start ${startMs} ms\n`,
    )
  }
  tellFigures({ acknowledged, slowestStartMs })
})
