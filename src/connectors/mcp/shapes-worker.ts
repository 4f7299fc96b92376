import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { judgeShape } from './judge-shape.ts'

export type ShapesOrder = { texts: readonly string[] }

/** The work of the thread that judge-shapes.ts starts. */
export function shapesWorker({ texts }: ShapesOrder): (string | null)[] {
  // As there: each is the JSON of an object.
  return texts.map((text) => judgeShape(JSON.parse(text) as Record<string, unknown>))
}

// The thread that started this one wrote exactly this shape.
if (!isMainThread) parentPort?.postMessage(shapesWorker(workerData as ShapesOrder))
