import { temporaryFolder } from '../support/temporary-folder.ts'
import { killRound, victims } from './kill-round.ts'

/** `npm run chaos [-- rounds]`: many deaths on one data folder. Ends with an error at the first lost row. */
const rounds = Number(process.argv[2] ?? 24)
await using folder = await temporaryFolder()
const starts: number[] = []
for (let round = 0; round < rounds; round++) {
  const victim = victims[round % victims.length] ?? 'us'
  const { committed, kept, startMs } = await killRound(folder.path, victim)
  starts.push(startMs)
  process.stdout.write(
    `${String(round + 1).padStart(3)}/${rounds} killed ${victim.padEnd(14)} ` +
      `${String(committed).padStart(4)} committed in this round, ${kept} rows in all, next start ${startMs} ms\n`,
  )
}
const sorted = starts.toSorted((a, b) => a - b)
const median = sorted[Math.floor(sorted.length / 2)]
process.stdout.write(
  `No acknowledged row was lost. Start after a kill: median ${median} ms, longest ${sorted.at(-1)} ms.\n`,
)
