import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { readVariable } from '../config.ts'
import { type CaseShape, describeCheck } from '../runs/rehearsals/cases/contract.ts'
import type { RehearsalShape } from '../runs/rehearsals/contract.ts'
import type { Options } from './command.ts'
import { parseDeclaredConfig } from './declared/apply-declared-config.ts'
import { fillVariables } from './declared/fill-variables.ts'
import { type ManagementApi, openManagementApi } from './declared/management-api.ts'
import { planRehearsals, readTriable } from './declared/plan-rehearsals.ts'
import { readYaml } from './declared/read-yaml.ts'

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
/** What may fail the command: an outcome, or a check of a case. */
type Word = keyof typeof outcomes | 'check'

/** Rehearses what a file would change about webhooks and schedules, before `apply` saves it. */
export async function rehearse({
  file,
  last = '50',
  when,
  budget,
  reads = 'recorded',
  cases,
  'fail-on': failOn = cases ? 'check' : 'new-write,failed',
  format = 'text',
  ...access
}: Options): Promise<number> {
  if (!file && !cases)
    throw new Error(
      'Name the file: rehearse -f bellhop.yaml. To run all cases with the saved settings: rehearse --cases',
    )
  if (!budget || !(Number(budget) > 0))
    throw new Error('Set what each rehearsal may cost at most: --budget 1.00')
  if (!['text', 'json', 'junit'].includes(format))
    throw new Error(`--format ${format}: use text, json or junit.`)
  const failing = readOutcomes(failOn)
  const declared = file ? parseDeclaredConfig(fillVariables(await readYaml(file), readVariable)) : null
  await using api = openManagementApi(access)
  const withCases = cases ? await listTargets(api) : []
  const plans = declared
    ? planRehearsals(await readTriable(api), declared)
    : withCases.map((target) => ({ target, change: {} }))
  const chosen = cases
    ? plans.filter(({ target }) => withCases.some((one) => isDeepStrictEqual(one, target)))
    : plans
  const events = cases ? { cases: true } : { last: Number(last), ...(when && { when }) }
  const done: RehearsalShape[] = []
  for (const { target, change } of chosen) {
    const asked = { target, change, events, reads, budget: Number(budget) }
    done.push(await follow(api, await api.send<RehearsalShape>('POST', '/rehearsals', asked)))
  }
  const none = cases ? 'There are no cases to run.' : 'The file changes nothing that can be rehearsed.'
  process.stdout.write(`${write(format, done, failing, none)}\n`)
  if (
    done.some(({ counts, checks }) =>
      failing.some((word) => (word === 'check' ? checks.failed : counts[outcomes[word]]) > 0),
    )
  )
    return codes.differs
  // What was not compared is not known to be harmless.
  return done.some(({ compared, total }) => compared < total) ? codes.budget : codes.passed
}

/** The webhooks and schedules that have cases. */
async function listTargets(api: ManagementApi): Promise<({ webhookId: string } | { scheduleId: string })[]> {
  const kept = (await api.list<CaseShape>('/cases')).filter(({ eventErased }) => !eventErased)
  const ids = (of: (one: CaseShape) => string | null) =>
    [...new Set(kept.map(of))].filter((id) => id !== null)
  return [
    ...ids(({ webhookId }) => webhookId).map((webhookId) => ({ webhookId })),
    ...ids(({ scheduleId }) => scheduleId).map((scheduleId) => ({ scheduleId })),
  ]
}

function readOutcomes(text: string): Word[] {
  return text.split(',').map((one) => {
    const word = one.trim()
    if (word !== 'check' && !Object.hasOwn(outcomes, word))
      throw new Error(`--fail-on ${word}: use some of ${Object.keys(outcomes).join(', ')}, check.`)
    return word as Word // as was just checked
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

function write(
  format: string,
  done: readonly RehearsalShape[],
  failing: readonly Word[],
  none: string,
): string {
  if (format === 'json') return JSON.stringify({ rehearsals: done }, null, 2)
  if (format === 'junit')
    return writeJunit(done, new Set(failing.map((word) => (word === 'check' ? word : outcomes[word]))))
  if (done.length === 0) return none
  return done.map(describe).join('\n\n')
}

function describe({
  name,
  compared,
  total,
  counts,
  checks,
  cost,
  p95Ms,
  problem,
  verdict,
  events,
}: RehearsalShape): string {
  const lines = Object.entries(outcomes).map(
    ([word, outcome]) => `  ${word.padEnd(16)}${String(counts[outcome]).padStart(4)}`,
  )
  const writes = events.flatMap(({ eventId, newWrites }) =>
    newWrites.map(({ tool, input }) => `  new write: ${eventId} ${tool} ${JSON.stringify(input)}`),
  )
  const failed = events.flatMap((event) =>
    event.checks
      .filter(({ passed }) => passed === false)
      .map((check) => `  check failed: ${event.eventId} ${describeCheck(check)}`),
  )
  const judged = checks.passed + checks.failed
  return [
    `Rehearsal of "${name}": ${compared} of ${total} events compared`,
    ...lines,
    ...writes,
    ...(judged > 0 ? [`  checks passed ${checks.passed} of ${judged}`] : []),
    ...failed,
    `  cost ${cost.before.toFixed(4)} → ${cost.after.toFixed(4)}, p95 ${seconds(p95Ms.before)} → ${seconds(p95Ms.after)}`,
    ...(verdict ? [`  ${verdict}`] : []),
    ...(problem ? [`  ${problem}`] : []),
  ].join('\n')
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

type Outcome = keyof RehearsalShape['counts'] | 'check'

type Event = RehearsalShape['events'][number]

/** One suite for each rehearsal and one case for each event, as CI systems read it. */
export function writeJunit(done: readonly RehearsalShape[], failing: ReadonlySet<Outcome>): string {
  const suites = done.map(({ name, total, events }) => {
    const failsOf = ({ outcome, checks }: Event): Outcome | null => {
      if (outcome !== null && failing.has(outcome)) return outcome
      return failing.has('check') && checks.some(({ passed }) => passed === false) ? 'check' : null
    }
    const cases = events.map((event) => {
      const { eventId, summary, outcome, newWrites, after, checks } = event
      const fails = failsOf(event)
      const what = `    <testcase classname="${escapeXml(name)}" name="${escapeXml(summary ? `${eventId} ${summary}` : eventId)}"`
      if (outcome === null) return `${what}><skipped message="not compared"/></testcase>`
      if (fails === null) return `${what}/>`
      const says = [
        ...newWrites.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`),
        ...checks.filter(({ passed }) => passed === false).map(describeCheck),
      ].join('\n')
      return `${what}><failure message="${fails}">${escapeXml(says || (after?.error ?? ''))}</failure></testcase>`
    })
    const failures = events.filter((event) => failsOf(event) !== null).length
    const skipped = events.filter(({ outcome }) => outcome === null).length
    return [
      `  <testsuite name="${escapeXml(name)}" tests="${total}" failures="${failures}" skipped="${skipped}">`,
      ...cases,
      '  </testsuite>',
    ].join('\n')
  })
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>'].join('\n')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** XML 1.0 has no way to write most control characters. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\u{fffd}')
    .replaceAll(/[&<>"]/g, (one) => entities[one] ?? one)
}
