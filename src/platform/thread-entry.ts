import { parentPort, workerData } from 'node:worker_threads'

/** The entry file of a thread that run-in-thread.ts starts: calls a function that a module exports. */
export type ThreadTask = { module: string; name: string; args: readonly unknown[] }

const { module, name, args } = workerData as ThreadTask // as run-in-thread.ts writes it
const { [name]: work } = await import(module)
parentPort?.postMessage(await work(...args))
