import { availableParallelism } from 'node:os'
import type { EventData } from 'node:test'

type Event =
  | { type: 'test:stdout'; data: EventData.TestStdout }
  | { type: 'test:pass'; data: EventData.TestPass }
  | { type: 'test:fail'; data: EventData.TestFail }

/** The reporter of `npm run chaos`: a table of what each test saw, and the same as JSON for `bench/chaos.json`. */
export default async function* reportChaos(events: AsyncIterable<Event>): AsyncGenerator<string> {
  const results: Record<string, Record<string, unknown>> = {}
  /** What the running test has written in the form of test/chaos/tell-figures.ts. */
  let figures: Record<string, unknown> = {}
  for await (const { type, data } of events) {
    if (type === 'test:stdout') {
      for (const [, text = ''] of data.message.matchAll(/^figures (.*)$/gm))
        figures = { ...figures, ...JSON.parse(text) }
    } else if (type === 'test:pass' || type === 'test:fail') {
      const seconds = Math.round(data.details.duration_ms / 1000)
      results[data.name.replace(/ \[.*\]$/, '')] = { passed: type === 'test:pass', seconds, ...figures }
      figures = {}
    }
  }
  console.table(results)
  yield `${JSON.stringify({ cores: availableParallelism(), node: process.version, results }, null, 2)}\n`
}
