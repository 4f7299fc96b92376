import type { TestEvent } from 'node:test/reporters'

/** What failed in one process of `node --test`. */
export type Failure = { process: string; tests: string[] }

/** A reporter for `node --test`: each process in which something failed, as a line of JSON. */
export default async function* reportFailures(events: AsyncIterable<TestEvent>) {
  const tests: string[] = []
  for await (const { type, data } of events) {
    if (type === 'test:fail') {
      if (data.name !== data.file) tests.push(data.name)
      // A process that ends before its tests has no summary, and fails under its own name.
      else yield line({ process: data.file, tests: tests.splice(0) })
    } else if (type === 'test:summary') {
      const failed = tests.splice(0)
      if (data.file !== undefined && !data.success) yield line({ process: data.file, tests: failed })
    }
  }
}

function line(failure: Failure): string {
  return `${JSON.stringify(failure)}\n`
}
