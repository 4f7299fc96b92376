import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { benchAccept } from './accept.ts'
import { benchLists } from './lists.ts'
import { benchPoison } from './poison.ts'
import { benchRules } from './rules.ts'
import { benchRuns } from './runs.ts'
import { benchSchedules } from './schedules.ts'
import { benchSlowModel } from './slow-model.ts'
import { benchStart } from './start.ts'
import { benchStorm } from './storm.ts'
import { benchToolCalls } from './tool-calls.ts'
import { benchWaiting } from './waiting.ts'

/** `npm run bench`: each figure beside its goal; `npm run bench -- runs` for one part alone. */
const parts = {
  accept: benchAccept,
  'tool calls': benchToolCalls,
  runs: benchRuns,
  'slow model': benchSlowModel,
  waiting: benchWaiting,
  start: benchStart,
  poison: benchPoison,
  storm: benchStorm,
  rules: benchRules,
  schedules: benchSchedules,
  lists: benchLists,
}
const wanted = process.argv.slice(2).join(' ')
const results: Record<string, Record<string, number>> = {}

for (const [name, bench] of Object.entries(parts)) {
  if (wanted && wanted !== name) continue
  console.log(`\n── ${name} ──`)
  results[name] = Object.fromEntries(
    Object.entries(await bench()).map(([figure, value]) => [figure, Math.round(value * 100) / 100]),
  )
  console.table(results[name])
}
if (!wanted) {
  const file = join(import.meta.dirname, 'results.json')
  await writeFile(
    file,
    `${JSON.stringify({ cores: availableParallelism(), node: process.version, results }, null, 2)}\n`,
  )
}
