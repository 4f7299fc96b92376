import { parentPort, workerData } from 'node:worker_threads'

/** What work-apart.ts asks of a thread, which begins with this file: to call a function that a module exports. */
export type ThreadOrder = { module: string; name: string; args: readonly unknown[] }

const { module, name, args } = workerData as ThreadOrder // as work-apart.ts writes it
const { [name]: work } = await import(module)
parentPort?.postMessage(await work(...args))
