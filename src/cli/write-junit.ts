import { describeCheck } from '../rehearsals/cases/contract.ts'
import type { RehearsalShape } from '../rehearsals/contract.ts'

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
