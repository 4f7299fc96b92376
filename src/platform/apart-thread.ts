import { parentPort, workerData } from 'node:worker_threads'

/** The entry file of a thread that work-apart.ts starts: calls a function that a module exports. */
export type ThreadOrder = { module: string; name: string; args: readonly unknown[] }

const { module, name, args } = workerData as ThreadOrder // as work-apart.ts writes it
const { [name]: work } = await import(module)
parentPort?.postMessage(await work(...args))
