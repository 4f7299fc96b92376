import { setTimeout as pause } from 'node:timers/promises'
import { readVariable } from '../config.ts'
import type { RehearsalShape } from '../rehearsals/contract.ts'
import type { Options } from './command.ts'
import { parseDeclaredConfig } from './declared/apply-declared-config.ts'
import { fillVariables } from './declared/fill-variables.ts'
import { type ManagementApi, openManagementApi } from './declared/management-api.ts'
import { planRehearsals, readTriable } from './declared/plan-rehearsals.ts'
import { readYaml } from './declared/read-yaml.ts'
import { writeJunit } from './write-junit.ts'

/** Exit codes, so that a build knows whether to stop. */
const codes = { passed: 0, refused: 1, differs: 2, budget: 3 } as const

const outcomes = {
  same: 'same',
  'reply-differs': 'replyDiffers',
  'new-write': 'newWrite',
  'write-gone': 'writeGone',
  'not-recorded': 'notRecorded',
  failed: 'failed',
} as const
type Word = keyof typeof outcomes

/** Rehearses what a file would change about webhooks and schedules, before `apply` saves it. */
export async function rehearse({
  file,
  last = '50',
  when,
  budget,
  reads = 'recorded',
  'fail-on': failOn = 'new-write,failed',
  format = 'text',
  ...access
}: Options): Promise<number> {
  if (!file) throw new Error('Name the file: rehearse -f bellhop.yaml')
  if (!budget || !(Number(budget) > 0))
    throw new Error('Set what each rehearsal may cost at most: --budget 1.00')
  if (!['text', 'json', 'junit'].includes(format))
    throw new Error(`--format ${format}: use text, json or junit.`)
  const failing = readOutcomes(failOn)
  const declared = parseDeclaredConfig(fillVariables(await readYaml(file), readVariable))
  await using api = openManagementApi(access)
  const done: RehearsalShape[] = []
  for (const { target, change } of planRehearsals(await readTriable(api), declared)) {
    const asked = {
      target,
      change,
      events: { last: Number(last), ...(when && { when }) },
      reads,
      budget: Number(budget),
    }
    done.push(await follow(api, await api.send<RehearsalShape>('POST', '/rehearsals', asked)))
  }
  process.stdout.write(`${write(format, done, failing)}\n`)
  if (done.some(({ counts }) => failing.some((word) => counts[outcomes[word]] > 0))) return codes.differs
  // What was not compared is not known to be harmless.
  return done.some(({ compared, total }) => compared < total) ? codes.budget : codes.passed
}

function readOutcomes(text: string): Word[] {
  return text.split(',').map((one) => {
    const word = one.trim()
    if (!Object.hasOwn(outcomes, word))
      throw new Error(`--fail-on ${word}: use some of ${Object.keys(outcomes).join(', ')}.`)
    return word as Word // a key of the table, as was just checked
  })
}

const pollMs = 1000

async function follow(api: ManagementApi, started: RehearsalShape): Promise<RehearsalShape> {
  let rehearsal = started
  while (rehearsal.endedAt === null) {
    await pause(pollMs)
    rehearsal = await api.read<RehearsalShape>(`/rehearsals/${started.id}`)
  }
  return rehearsal
}

function write(format: string, done: readonly RehearsalShape[], failing: readonly Word[]): string {
  if (format === 'json') return JSON.stringify({ rehearsals: done }, null, 2)
  if (format === 'junit') return writeJunit(done, new Set(failing.map((word) => outcomes[word])))
  if (done.length === 0) return 'The file changes nothing that can be rehearsed.'
  return done.map(describe).join('\n\n')
}

function describe({ name, compared, total, counts, cost, p95Ms, problem, events }: RehearsalShape): string {
  const lines = Object.entries(outcomes).map(
    ([word, outcome]) => `  ${word.padEnd(16)}${String(counts[outcome]).padStart(4)}`,
  )
  const writes = events.flatMap(({ eventId, newWrites }) =>
    newWrites.map(({ tool, input }) => `  new write: ${eventId} ${tool} ${JSON.stringify(input)}`),
  )
  return [
    `Rehearsal of "${name}": ${compared} of ${total} events compared`,
    ...lines,
    ...writes,
    `  cost ${cost.before.toFixed(4)} → ${cost.after.toFixed(4)}, p95 ${seconds(p95Ms.before)} → ${seconds(p95Ms.after)}`,
    ...(problem ? [`  ${problem}`] : []),
  ].join('\n')
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
