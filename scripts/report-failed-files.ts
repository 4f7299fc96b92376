import type { TestEvent } from 'node:test/reporters'

/** A reporter for `node --test`: the test files in which something failed, one a line. */
export default async function* reportFailedFiles(events: AsyncIterable<TestEvent>) {
  for await (const { type, data } of events) {
    if (type === 'test:summary' && data.file !== undefined && !data.success) yield `${data.file}\n`
  }
}
