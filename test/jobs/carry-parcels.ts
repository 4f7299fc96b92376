import { openDatabase } from '../../src/platform/db/database.ts'
import { openQueue } from '../../src/platform/queue/queue.ts'

/** A worker to be killed: it prints which job it begins, and never finishes it. */
const [url = ''] = process.argv.slice(2)
const database = openDatabase({ connectionString: url }, { maxConnections: 2, onError: () => undefined })
const queue = await openQueue<{ 'parcel.carry': { parcel: number } }>({
  database,
  jobs: { 'parcel.carry': { tries: 3, backoffSeconds: 1 } },
  supervises: false,
  onError: () => undefined,
})
queue.work('parcel.carry', { concurrency: 1 }, async ({ parcel }) => {
  process.stdout.write(`begun ${parcel}\n`)
  await new Promise(() => undefined)
})
process.stdout.write('ready\n')
