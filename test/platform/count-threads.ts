import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

const { name, counts } = workerData as { name: string; counts: Int32Array } // what the test orders
const atWork = Atomics.add(counts, 0, 1) + 1
if (atWork > Atomics.load(counts, 1)) Atomics.store(counts, 1, atWork)
// Long enough for the others, if they were let.
await pause(50)
Atomics.sub(counts, 0, 1)
if (name === 'fail') throw new Error('as ordered')
parentPort?.postMessage(name)
